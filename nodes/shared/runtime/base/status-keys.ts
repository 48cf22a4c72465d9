// The keys of all status texts, by catalogue. Texts that several nodes share are in the account's catalogue.

export const STATUS_KEYS = {
  account: [
    "reading",
    "records",
    "none",
    "partly",
    "fleet",
    "fleetFailing",
    "noSites",
    "oldSites",
    "stale",
    "noRecord",
    "noValue",
    "implausible",
    "clockBehind",
    "clockAhead",
    "unconfirmed",
    "unknownDelivery",
    "gaveUp",
    "skipped",
    "unreadable",
    "noUserDirectory",
    "damagedFile",
    "error.ENERGY_CONFIG",
    "error.ENERGY_AUTH",
    "error.ENERGY_INPUT",
    "error.ENERGY_SYSTEM_REQUIRED",
    "error.ENERGY_RANGE",
    "error.ENERGY_HTTP",
    "error.ENERGY_RATE_LIMIT",
    "error.ENERGY_TIMEOUT",
    "error.ENERGY_NETWORK",
    "error.ENERGY_RESPONSE",
    "error.ENERGY_STORE",
    "error.other",
  ],
  "site-list": ["sites", "systems"],
  "site-info": ["read"],
  "latest-value": ["value", "agingValue", "values", "someValues"],
  "rgm-read": ["noMeter"],
  history: ["progress", "cancelled"],
  alerts: ["alerts"],
  threshold: [
    "high.waiting",
    "low.waiting",
    "between.waiting",
    "high.old",
    "low.old",
    "between.old",
    "high.lowAt",
    "low.highAt",
    "between.highAt",
    "between.lowAt",
  ],
  mqtt: ["devices"],
  points: ["points"],
} as const;

type Catalogues = typeof STATUS_KEYS;
type NodeKeys = {
  [Name in Exclude<keyof Catalogues, "account">]: `${Name}:${Catalogues[Name][number]}`;
};

/** `reading` refers to the account's catalogue, `threshold:high` to that of a node. */
export type StatusKey = Catalogues["account"][number] | NodeKeys[keyof NodeKeys];
