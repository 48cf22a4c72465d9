// The English text of every error. The catalogs of other languages have the same keys under `error`.

/** `__name__` is a placeholder. */
export const ERROR_TEXTS = {
  // Account
  accountMissing: "No account. Choose one in the node, and check that it is enabled.",
  baseUrlMissing: "No base URL. Enter the URL of the service in the account.",
  baseUrlInvalid: "The base URL is not valid. Enter it as https://host.",
  baseUrlCredentials: "The base URL contains a user name or password. Enter them in their own fields.",
  baseUrlQuery: "The base URL has a query or fragment. Remove ? or # and everything after it.",
  baseUrlInsecure: "The base URL must start with https://. http:// is allowed for localhost only.",
  credentialsMissing: "No credentials. Enter the client ID and client secret in the account.",
  credentialsOrigin:
    "The base URL leads to another server. Enter client ID and secret again. They belong to __origin__.",
  clientIdColon: "The client ID must not contain a colon. Check it.",
  versionHeaderInvalid: "The version header has characters that a header name cannot have. Correct it.",
  apiVersionInvalid: "The API version has characters that a header cannot have. Correct it.",
  tlsMissing: "The account's TLS configuration no longer exists. Choose another one.",
  tlsInvalid: "The account's TLS configuration is not valid. Check its certificate files.",
  proxyMissing: "The account's proxy no longer exists or has no URL. Choose another one.",
  proxyInvalid: "The proxy URL is not a valid http or https URL. Check the account's proxy.",
  variableMissing: "The environment variable __name__ is not set. Set it, or enter the value.",

  // Settings of a node
  settingNumber: "__label__ must be a number.",
  settingRange: "__label__ must be a number from __min__ to __max__.",
  settingWhole: "__label__ must be a whole number from __min__ to __max__.",
  settingEmpty: "__label__ must not be empty.",
  settingChoice: "Unknown value for __label__: __value__. Choose one of: __choices__.",
  settingText: "__label__ must be text.",
  settingLabelUnit: "__label__ (__unit__)",
  topicPrefixInvalid: "__label__ must be a topic without + or #, empty levels, or $ in front.",
  limitsOrder: "Low must be below High. Correct one of them.",
  plausibleOrder: "Minimum must not be above Maximum. Correct one of them.",
  pathInvalid: "The path __path__ is not valid. Enter it like storage.stateOfCharge.",
  oneSite: "This node reads one site. Choose a site instead of *.",
  oneSystem: "This node reads one system. Choose a system instead of *.",
  storeUnknown: "Unknown store __name__. Choose one of: __stores__.",
  contextStoreUnknown: "The context store __name__ does not exist. Choose one of: __stores__, or file.",

  // Messages
  siteMissing: "No site. Choose a site in the node, or set msg.siteId to its id.",
  inputText: "__name__ must be text, but is __kind__. Check where it comes from.",
  idInvalid: "__name__ must have at most 255 characters, and no control characters.",
  propertyUnreadable: "__type__ __text__ cannot be read. Correct it: __reason__",
  noRange: "msg.__name__ is not accepted. __advice__",
  adviceStored: 'Set "Remember position in" to "Don\'t remember".',
  advicePresent: "For a range, use the history node.",
  adviceRgmRange: 'For a range, set "Read" to "Records of a time range".',
  noEndTime: "This node reads up to now. Remove msg.endTime.",
  timeInvalid: "__name__ must be a time with an offset, such as 2026-03-29T12:00:00Z.",
  historyRequest: 'msg.payload must be {startTime, endTime} or {"day": "2026-03-01", "days": 31}.',
  dayInvalid: 'msg.payload.day must be a local day of the site, such as "2026-03-29".',
  daysInvalid: "msg.payload.days must be a whole number of at least 1.",
  dayUnknown: "__day__ does not exist in __zone__. Enter a day such as 2026-03-29.",
  zoneMissing: "The site has no time zone. Use startTime and endTime instead of days.",
  zoneUnknown: "Unknown time zone __zone__. Use startTime and endTime instead of days.",
  recordMissing: "The payload is not a record (it is __kind__). Connect a node that reads records.",
  recordTimes: "The record has no valid startTime and endTime. Pass it on unchanged.",
  recordStale: "There is no current record. Connect output 1 of latest value, not output 2.",
  messageSite: "The message has no site. Set msg.siteId to the id of the record's site.",
  messageSystem: "msg.systemId is not a valid system id. Correct or delete it.",
  siteIdInvalid: "The site id is empty or cannot be part of a URL. Check it.",

  // Valid times that cannot be requested
  rangeOrder: "__place__.endTime must be after __place__.startTime.",
  rangeFuture: "__name__ is in the future. Choose an earlier time.",
  rangeTooLong: "The range is longer than __days__ days. Split it into shorter ranges.",

  // Systems
  systemRequired: "Site __siteId__ has several systems. Choose a system: __systems__.",
  systemRequiredUnknown: "Site __siteId__ has several systems. Choose a system.",

  // What was requested
  whatSites: "Site list",
  whatSite: "Site __siteId__",
  whatTelemetry: "Telemetry of site __siteId__",
  whatRgm: "Meter records of site __siteId__",
  whatAlerts: "Alerts",
  whatSiteAlerts: "Alerts of site __siteId__",
  whatToken: "Access token",

  // Responses with an error status
  credentialsRejected:
    "Client ID or secret rejected (__status__). Check the account's credentials. The next attempt is in __seconds__ s at the earliest.",
  tokenRefused: "__what__: a new token is rejected (401). Check the credentials' permissions.",
  tokenRefusedHere: "__what__: the token is refused only here (401). Check its permissions.",
  redirected: "__what__: redirected (__status__), not followed. Enter the final address as base URL.",
  forbidden: "__what__: the credentials do not allow this (403). Check their permissions.",
  notFound:
    "__what__: not found (404). Check the id. For a PC1 site, set Systems in the account to PC1 and PC2 (preview API).",
  tooManyRequests: "__what__: too many requests (429). Poll less often.",
  tooManyRequestsUntil: "__what__: too many requests (429). Try again in __seconds__ s.",
  serviceFailed: "__what__: the service failed (__status__). Try again later.",
  refused: "__what__: the service refused the request (__status__). Check the node's settings.",
  windowFails: "No answer for __from__ to __to__; later records continue. __text__",
  serviceSays: "__text__ The service says: __said__",
  held: "Rate limited by the service. Nothing was sent. Try again in __seconds__ s.",

  // The network
  accountClosed: "The account was closed during the request. Try again.",
  timedOut:
    "No complete response from __route__ within __seconds__ s. If the service is slow, increase the account's timeout.",
  noConnection: "Request to __route__ failed: __reason__.",
  throughProxy: "__host__ through the proxy __proxy__",
  refusedConnection: "connection refused, check the address (__code__)",
  unknownHost: "host name not found, check the address and DNS (__code__)",
  connectionBroke: "the connection was interrupted (__code__)",
  unreachable: "the host cannot be reached (__code__)",
  certificate: "its certificate is not trusted, choose a TLS configuration with its CA (__code__)",
  tlsFailed: "TLS handshake failed, is this an https server? (__code__)",
  notHttp: "the response is not HTTP (__code__)",
  headersTooLarge: "the headers of the response are too large (__code__)",
  proxyCredentials: "the proxy requires a user name and password (407)",
  proxyRefused: "the proxy refused the connection (__status__)",
  failedConnection: "the connection failed",
  failedConnectionCode: "the connection failed (__code__)",

  // Malformed responses
  siteListAnswer: "Site list response",
  siteAnswer: "Site response",
  telemetryAnswer: "Telemetry response",
  rgmAnswer: "Meter record response",
  alertAnswer: "Alert response",
  answerTooLarge: "The response is larger than __mebibytes__ MiB and was not read.",
  answerNotUnpacked: "The response cannot be decompressed.",
  answerEmpty: "__what__: an empty response instead of JSON. Check the base URL.",
  answerHtml: "__what__: an HTML page instead of JSON. Check the base URL.",
  answerText: "__what__: plain text instead of JSON. Check the base URL.",
  answerInvalid: "__what__: invalid JSON (__characters__ characters).",
  answerCut: "__what__: the JSON is cut off after __characters__ characters.",
  answerNoList: "__what__: no list of __name__ found (it is __kind__).",
  answerNotObject: "__what__: __place__ is not an object (it is __kind__).",
  answerSiteId: "__what__: __place__.siteId is not text (it is __kind__).",
  gapGivenUp: "Stopped asking for a gap of __series__ from __from__ to __to__: no records came.",
  answerNoTime: "__what__: __place__ is not a time (it is __kind__).",
  answerTimesOrder: "__what__: __place__ is before its startTime.",
  answerToken: "Access token: access_token is missing or cannot be sent in a header.",
  answerPages: "The response has more than __pages__ pages. Reading stopped.",
  pageOutside: "The next page of the response is outside the base URL and was not followed.",

  // Kinds of values
  isMissing: "missing",
  isNull: "null",
  isArray: "an array",
  isEmptyText: "empty text",
  isObject: "an object",
  isText: "text",
  isNumber: "a number",
  isBoolean: "a boolean",
  isOther: "something else",

  // Time
  clockBehind: "The clock is __duration__ behind. Times now follow the service. Set the clock (NTP).",
  clockAhead: "The clock is __duration__ ahead. Times now follow the service. Set the clock (NTP).",

  // State
  storeRead: "The stored state cannot be read. Check the user directory or the store: __reason__",
  storeWritten: "The stored state cannot be written. Check the user directory or the store: __reason__",
  storeSetAside: "A damaged state file cannot be set aside. Check the user directory: __reason__",

  internal: "Unexpected error: __reason__. Please report it.",
} as const;
