// Settings of history.
import { type ErrorText, errorText, type TextValue } from "../../src/errors";
import { MAX_HISTORY_DAYS } from "../../src/limits";
import { parseServiceTime } from "../../src/models/time";
import {
  choice,
  inUseUnless,
  inUseWhen,
  type Properties,
  type Settings,
  text,
} from "../../src/settings/table";
import { DAY } from "../../src/time-units";
import { INCLUDE_INVERTER, READING, RECORD_OUTPUT, SCHEDULE } from "../shared/settings";

/** Midnight UTC of a calendar day YYYY-MM-DD, in milliseconds; undefined if there is no such day. */
function midnight(day: unknown): number | undefined {
  return typeof day === "string" ? parseServiceTime(`${day}T00:00Z`) : undefined;
}

function firstDayFault(day: string, label: TextValue): ErrorText | undefined {
  return midnight(day) === undefined ? errorText("settingDay", { label }) : undefined;
}

/** A missing first day is reported for its own field only. */
function lastDayFault(day: string, label: TextValue, others: Properties): ErrorText | undefined {
  const [first, last] = [midnight(others("from")), midnight(day)];
  if (last === undefined) return errorText("settingDay", { label });
  if (first === undefined) return undefined;
  if (last < first) return errorText("daysOrder");
  const isTooLong = (last - first) / DAY >= MAX_HISTORY_DAYS;
  return isTooLong ? errorText("rangeTooLong", { days: MAX_HISTORY_DAYS }) : undefined;
}

/** Local days of the site, YYYY-MM-DD. */
const DAYS = {
  from: text("history:label.from", { trimmed: true, variables: true, check: firstDayFault }),
  to: text("history:label.to", { trimmed: true, variables: true, check: lastDayFault }),
};

export const HISTORY = {
  ...READING,
  source: choice("history:label.source", ["telemetry", "rgm"]),
  range: choice("history:label.range", ["last24h", "yesterday", "lastMonth", "fromTo", "message"]),
  ...inUseWhen({ range: "fromTo" }, DAYS),
  // A range that comes in a message cannot be scheduled.
  ...inUseUnless({ range: "message" }, SCHEDULE),
  ...RECORD_OUTPUT,
  ...inUseWhen({ source: "telemetry" }, INCLUDE_INVERTER),
} as const satisfies Settings;
