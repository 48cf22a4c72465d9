// Settings shared by several nodes.
import type { Settings } from "../setting";

export const WEEK_IN_MINUTES = 7 * 24 * 60;

/** The shortest duration, in any unit: durations may be fractions, and 0 would mean never, or always. */
export const MIN_DURATION = 0.01;

export const NAMED = { name: { kind: "text", default: "" } } as const satisfies Settings;

/** For nodes that call the service. */
export const USES_ACCOUNT = {
  account: { kind: "node", type: "energy-account", label: "account:label.account" },
} as const satisfies Settings;

/** For nodes that can run on a schedule. An older flow without these settings runs on input only. */
export const SCHEDULE = {
  repeat: {
    kind: "number",
    label: "account:label.repeat",
    unit: "minutes",
    default: 0,
    min: 0,
    max: WEEK_IN_MINUTES,
  },
  onDeploy: { kind: "boolean", default: false },
} as const satisfies Settings;

/** Where the text of a typed input comes from. */
const SOURCES = ["str", "msg", "flow", "global", "env", "jsonata"] as const;

export const SITE = {
  siteId: { kind: "text", default: "", label: "account:label.siteId", trimmed: true },
  siteIdType: { kind: "choice", default: "str", label: "account:label.siteId", choices: SOURCES },
} as const satisfies Settings;

export const SYSTEM = {
  systemId: { kind: "text", default: "", label: "account:label.systemId", trimmed: true },
  systemIdType: { kind: "choice", default: "str", label: "account:label.systemId", choices: SOURCES },
} as const satisfies Settings;

export const MAX_AGE = {
  maxAge: {
    kind: "number",
    label: "account:label.maxAge",
    unit: "minutes",
    default: 15,
    min: MIN_DURATION,
    max: WEEK_IN_MINUTES,
  },
} as const satisfies Settings;

export const INCLUDE_INVERTER = {
  includeInverter: { kind: "boolean", default: false },
} as const satisfies Settings;

export const RECORD_OUTPUT = {
  output: { kind: "choice", label: "account:label.output", choices: ["record", "batch"], default: "record" },
} as const satisfies Settings;
