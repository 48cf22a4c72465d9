// Settings shared by several nodes.
import { type ErrorText, errorText } from "../../src/errors";
import type { Properties, Settings } from "../../src/settings/kinds";

export const WEEK_IN_MINUTES = 7 * 24 * 60;

/** The shortest duration, in any unit: durations may be fractions, and 0 would mean never, or always. */
export const MIN_DURATION = 0.01;

export const NAMED = { name: { kind: "text", default: "" } } as const satisfies Settings;

/** For nodes that call the service. */
export const USES_ACCOUNT = {
  account: { kind: "node", type: "energy-account", label: "account:label.account" },
} as const satisfies Settings;

/** For nodes that can run on a schedule. */
export const SCHEDULE = {
  repeat: {
    kind: "number",
    label: "account:label.repeat",
    unit: "minutes",
    default: 0,
    min: 0,
    max: WEEK_IN_MINUTES,
    ofSchedule: true,
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

const maxAge = {
  kind: "number",
  label: "account:label.maxAge",
  unit: "minutes",
  default: 15,
  min: MIN_DURATION,
  max: WEEK_IN_MINUTES,
} as const;
export const MAX_AGE = { maxAge } as const satisfies Settings;

export const INCLUDE_INVERTER = {
  includeInverter: { kind: "boolean", default: false },
} as const satisfies Settings;

const output = {
  kind: "choice",
  label: "account:label.output",
  choices: ["record", "batch"],
  default: "record",
} as const;
export const RECORD_OUTPUT = { output } as const satisfies Settings;

const YEAR_IN_HOURS = 366 * 24;
const TEN_YEARS_IN_HOURS = 10 * 366 * 24;
const WEEK_IN_SECONDS = 7 * 24 * 60 * 60;

/** A ledger in messages comes with a message, and goes to whoever has the records. */
function carriedFault(store: string, others: Properties): ErrorText | undefined {
  if (store !== "message") return undefined;
  if (others("delivery") === "confirmed") return errorText("carriedConfirmed");
  const runsByItself = Number(others("repeat")) > 0 || others("onDeploy") === true;
  return runsByItself ? errorText("carriedSchedule") : undefined;
}

/** Without a stored position there are no gaps to retry and no records to compare. */
const UNSTORED = { store: "none" } as const;

/** Of a poll for new records, of telemetry or of a meter. Without spreads or sums, for the bundler to leave it out of other dialogs. */
export const RECORD_POLL = {
  startFrom: {
    kind: "choice",
    label: "account:label.startFrom",
    choices: ["now", "hours"],
    default: "now",
  },
  startHours: {
    kind: "number",
    label: "account:label.startHours",
    unit: "hoursBefore",
    default: 24,
    min: 0,
    max: TEN_YEARS_IN_HOURS,
    when: { startFrom: "hours" },
  },
  output,
  maxAge,
  // More than a day would need several requests in every run.
  lookBack: {
    kind: "number",
    label: "account:label.lookBack",
    unit: "minutes",
    default: 0,
    min: 0,
    max: WEEK_IN_MINUTES,
    unless: UNSTORED,
  },
  fillGaps: { kind: "boolean", default: true, unless: UNSTORED },
  gapHours: {
    kind: "number",
    label: "account:label.gapHours",
    unit: "hours",
    default: 72,
    min: 0,
    max: YEAR_IN_HOURS,
    when: { fillGaps: true },
    unless: UNSTORED,
  },
  store: {
    kind: "text",
    default: "file",
    label: "account:label.store",
    mayBeEmpty: true,
    check: (store, _label, others) => carriedFault(store, others),
  },
  delivery: {
    kind: "choice",
    label: "account:label.delivery",
    choices: ["sent", "confirmed"],
    default: "sent",
  },
  // A flow that stays within Node-RED confirms in milliseconds.
  confirmTimeout: {
    kind: "number",
    label: "account:label.confirmTimeout",
    unit: "seconds",
    default: 60,
    min: MIN_DURATION,
    max: WEEK_IN_SECONDS,
    when: { delivery: "confirmed" },
  },
  maxUnconfirmed: {
    kind: "number",
    label: "account:label.maxUnconfirmed",
    unit: "records",
    default: 100,
    min: 1,
    max: 10_000,
    whole: true,
    when: { delivery: "confirmed" },
  },
} as const satisfies Settings;
