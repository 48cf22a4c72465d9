// Every bound on what the package accepts from services and messages, and on what it requests.

const MEBIBYTE = 2 ** 20;
const KIBIBYTE = 2 ** 10;

/** Characters of a site or system id. */
export const MAX_ID_LENGTH = 255;

/** Bytes of a page of an answer, decompressed. A day of records has about 200 KiB. */
export const MAX_ANSWER_BYTES = 8 * MEBIBYTE;
/** Bytes of a token answer or of an answer with an error status, decompressed. */
export const MAX_SHORT_ANSWER_BYTES = 64 * KIBIBYTE;
/** Bytes of all pages of one list, decompressed. */
export const MAX_LIST_BYTES = 32 * MEBIBYTE;
/** Pages of one list, which are requests for one message. */
export const MAX_PAGES = 390;
/** Values in an answer, or in all pages of a list, nested ones included: parsing half a million can take half a second. */
export const MAX_JSON_VALUES = 500_000;
/** Values in a list of alerts, nested ones included: comparing them with the last list takes longer than parsing. */
export const MAX_ALERT_VALUES = 150_000;
/** Characters of a base URL. */
export const MAX_BASE_URL_LENGTH = 2 * KIBIBYTE;
/** Characters of a URL. Servers refuse longer ones. */
export const MAX_URL_LENGTH = 16 * KIBIBYTE;
/** Characters of an access token. Servers refuse longer headers. */
export const MAX_TOKEN_LENGTH = 8 * KIBIBYTE;
/** Characters of a field name that may mean something. */
export const MAX_NAME_LENGTH = 255;
/** Items of a page that are reported as unreadable; the others are left out silently. */
export const MAX_UNREADABLE_ITEMS = 100;
/** How deep an answer or a message may be nested: far more would overflow the stack of recursive functions. */
export const MAX_DEPTH = 64;

/** Messages or points that one message becomes. A day of telemetry has 8,000 numbers. */
export const MAX_SENT = 20_000;
/** Requests for one message. */
export const MAX_REQUESTS = 400;

/** Days of a range that history reads: ten years. */
export const MAX_HISTORY_DAYS = 3653;
/** Days that totals splits into hours: two years. Ten would take 400 MB, and be more than other nodes accept in a message. */
export const MAX_HOURLY_DAYS = 731;

/** Characters of an error text. */
export const MAX_ERROR_LENGTH = 500;
/** Characters of a name of others that leaves the package: of a site, a model, a serial number. */
export const MAX_SHOWN_NAME_LENGTH = 100;
/** Characters of a state in Home Assistant, which allows no more; attributes are cut to the same length. */
export const MAX_STATE_LENGTH = 255;
/** Characters of a value in a status. */
export const MAX_STATUS_VALUE_LENGTH = 80;
/** Characters of the topic that a threshold decides by: each is kept in memory and in a file. */
export const MAX_SUBJECT_LENGTH = 1024;
/** Bytes of a message that is kept, to send it later or again, and of an alert, which is compared with others: roughly. */
export const MAX_KEPT_MESSAGE = 64 * KIBIBYTE;
/** Characters of a topic prefix: with the longest ids and names, a topic stays well below the 65,535 bytes that MQTT allows. */
export const MAX_PREFIX_LENGTH = 1000;
/** Values in the payload and `msg.energy` of a message, nested ones and long texts included. A year of meter records has 950,000. */
export const MAX_PAYLOAD_VALUES = 1_000_000;
/** An object with more properties than about this is a hash table for JavaScript, slow to list and to copy. */
export const WIDE = 1000;
/** Properties of all such objects in an answer or a part of a message: it takes seconds to copy a million. */
export const MAX_PROPERTIES = 20_000;
/** Values in the other properties of a message, which are copied for each message sent. */
export const MAX_COPIED_VALUES = 100_000;
/** Characters of the key of an alert; a longer name is replaced by its digest. */
export const MAX_ALERT_KEY_LENGTH = 1024;
/** Devices, and alerts of sites, announced to Home Assistant: each is kept in memory and in a file, and messages may name any. */
export const MAX_DEVICES = 100_000;
/** Statistics of Home Assistant that a node keeps complete: eight of each system, and messages may name any. */
export const MAX_STATISTICS = 20_000;
/** Topics of a device that are remembered to clear them at the broker: a message for each value, live and backlog, has about a hundred. */
export const MAX_RETAINED = 1000;
/** Characters of a ledger in `msg.energy`, as JSON: an engine's own stays below 20 KiB. */
export const MAX_LEDGER_CHARACTERS = 32 * KIBIBYTE;
