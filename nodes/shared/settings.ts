// Settings shared by several nodes.
import { choice, number, type Settings, text } from "../../src/settings/table";

export const WEEK_IN_MINUTES = 7 * 24 * 60;

/** The shortest duration, in any unit: durations may be fractions, and 0 would mean never, or always. */
export const MIN_DURATION = 0.01;

/** A duration. */
export const MINUTES = { unit: "minutes", default: 0, min: 0, max: WEEK_IN_MINUTES } as const;

export const NAMED = { name: { kind: "text", default: "" } } as const satisfies Settings;

/** Of nodes that call the service. */
export const CALLING = {
  ...NAMED,
  account: { kind: "node", type: "energy-account", label: "account:label.account" },
} as const satisfies Settings;

/** Of nodes that can run on a schedule. */
export const SCHEDULE = {
  repeat: number("account:label.repeat", { ...MINUTES, ofSchedule: true }),
  onDeploy: { kind: "boolean", default: false },
} as const satisfies Settings;

/** Where the text of a typed input comes from. */
const SOURCES = ["str", "msg", "flow", "global", "env", "jsonata"] as const;

export const SITE = {
  siteId: text("account:label.siteId", { trimmed: true }),
  siteIdType: choice("account:label.siteId", SOURCES),
} as const satisfies Settings;

export const SYSTEM = {
  systemId: text("account:label.systemId", { trimmed: true }),
  systemIdType: choice("account:label.systemId", SOURCES),
} as const satisfies Settings;

/** Of nodes that read a system. */
export const READING = { ...CALLING, ...SITE, ...SYSTEM } as const satisfies Settings;

/** Empty: by the rhythm of the series and of the reads. */
export const MAX_AGE = {
  maxAge: number("account:label.maxAge", { ...MINUTES, default: "", mayBeEmpty: true, min: MIN_DURATION }),
} as const satisfies Settings;

export const INCLUDE_INVERTER = {
  includeInverter: { kind: "boolean", default: false },
} as const satisfies Settings;

export const RECORD_OUTPUT = {
  output: choice("account:label.output", ["record", "batch"]),
} as const satisfies Settings;
