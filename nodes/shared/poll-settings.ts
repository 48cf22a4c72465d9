// Settings of a poll for new records, of telemetry or of a meter; apart, so that other dialogs do not have them.
import { type ErrorText, errorText } from "../../src/errors";
import {
  choice,
  inUseUnless,
  inUseWhen,
  number,
  type Properties,
  type Settings,
  text,
} from "../../src/settings/table";
import { MAX_AGE, MIN_DURATION, MINUTES, RECORD_OUTPUT, WEEK_IN_MINUTES } from "./settings";

const YEAR_IN_HOURS = 366 * 24;

/** A ledger in messages comes with a message, and leaves with the records. */
function carriedFault(store: string, others: Properties): ErrorText | undefined {
  if (store !== "message") return undefined;
  if (others("delivery") === "confirmed") return errorText("carriedConfirmed");
  const runsByItself = Number(others("repeat")) > 0 || others("onDeploy") === true;
  return runsByItself ? errorText("carriedSchedule") : undefined;
}

/** Hours back from the start of a poll that has no position. */
const START_HOURS = { unit: "hoursBefore", default: 24, min: 0, max: 10 * YEAR_IN_HOURS } as const;

const GAP_HOURS = { unit: "hours", default: 72, min: 0, max: YEAR_IN_HOURS } as const;

const COMPLETENESS = {
  // More than a day would need several requests in every run.
  lookBack: number("account:label.lookBack", MINUTES),
  fillGaps: { kind: "boolean", default: true },
  ...inUseWhen({ fillGaps: true }, { gapHours: number("account:label.gapHours", GAP_HOURS) }),
} as const satisfies Settings;

/** In confirmed delivery. A flow that stays within Node-RED confirms in milliseconds. */
const CONFIRMATION = {
  confirmTimeout: number("account:label.confirmTimeout", {
    unit: "seconds",
    default: 60,
    min: MIN_DURATION,
    max: WEEK_IN_MINUTES * 60,
  }),
  maxUnconfirmed: number("account:label.maxUnconfirmed", {
    unit: "records",
    default: 100,
    min: 1,
    max: 10_000,
    whole: true,
  }),
} as const satisfies Settings;

export const RECORD_POLL = {
  startFrom: choice("account:label.startFrom", ["now", "hours"]),
  ...inUseWhen({ startFrom: "hours" }, { startHours: number("account:label.startHours", START_HOURS) }),
  ...RECORD_OUTPUT,
  ...MAX_AGE,
  // Without a stored position there are no gaps to retry and no records to compare.
  ...inUseUnless({ store: "none" }, COMPLETENESS),
  store: text("account:label.store", {
    default: "file",
    mayBeEmpty: true,
    check: (store, _label, others) => carriedFault(store, others),
  }),
  delivery: choice("account:label.delivery", ["sent", "confirmed"]),
  ...inUseWhen({ delivery: "confirmed" }, CONFIRMATION),
} as const satisfies Settings;
