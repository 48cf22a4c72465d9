// Settings of history.
import { type ErrorText, errorText, type TextValue } from "../../src/errors";
import { MAX_HISTORY_DAYS } from "../../src/limits";
import { inUseWhen, type Properties, type Settings } from "../../src/settings/kinds";
import { DAY } from "../../src/time-units";
import { USES_ACCOUNT, INCLUDE_INVERTER, NAMED, RECORD_OUTPUT, SITE, SYSTEM } from "../shared/settings";

/** Midnight UTC of a calendar day YYYY-MM-DD, in milliseconds; undefined if there is no such day. */
function midnight(day: unknown): number | undefined {
  if (typeof day !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const time = Date.parse(`${day}T00:00:00Z`);
  // Some engines take February 30 for March 2.
  return new Date(time || 0).toISOString().startsWith(day) ? time : undefined;
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

/** A local day of the site, YYYY-MM-DD. */
const DAY_OF_SITE = { kind: "text", default: "", trimmed: true, variables: true } as const;

export const HISTORY = {
  ...NAMED,
  ...USES_ACCOUNT,
  ...SITE,
  ...SYSTEM,
  source: {
    kind: "choice",
    label: "history:label.source",
    choices: ["telemetry", "rgm"],
    default: "telemetry",
  },
  range: {
    kind: "choice",
    label: "history:label.range",
    choices: ["last24Hours", "yesterday", "lastMonth", "days", "message"],
    default: "last24Hours",
  },
  ...inUseWhen(
    { range: "days" },
    {
      from: { ...DAY_OF_SITE, label: "history:label.from", check: firstDayFault },
      to: { ...DAY_OF_SITE, label: "history:label.to", check: lastDayFault },
    },
  ),
  ...RECORD_OUTPUT,
  ...inUseWhen({ source: "telemetry" }, INCLUDE_INVERTER),
} as const satisfies Settings;
