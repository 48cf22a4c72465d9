// Settings of a poll for new records, of telemetry or of a meter.
import type { Fault, Properties, Settings } from "../setting";
import { MAX_AGE, MIN_DURATION, RECORD_OUTPUT, WEEK_IN_MINUTES } from "./shared";

const YEAR_IN_HOURS = 366 * 24;

/** A ledger in messages comes with a message, and goes to whoever has the records. */
function carriedFault(store: string, others: Properties): Fault | undefined {
  if (store !== "message") return undefined;
  if (others("delivery") === "confirmed") return ["carriedConfirmed"];
  const runsByItself = Number(others("repeat")) > 0 || others("onDeploy") === true;
  return runsByItself ? ["carriedSchedule"] : undefined;
}

/** Without a stored position there are no gaps to retry and no records to compare. */
const UNSTORED = { store: "none" } as const;

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
    max: 10 * YEAR_IN_HOURS,
    when: { startFrom: "hours" },
  },
  ...RECORD_OUTPUT,
  ...MAX_AGE,
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
    max: WEEK_IN_MINUTES * 60,
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
