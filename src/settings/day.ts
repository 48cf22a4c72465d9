// The rules for local days in settings: a first and a last one, both included.
import type { TextValue } from "../errors";
import { MAX_HISTORY_DAYS } from "../limits";
import { DAY } from "../time-units";
import type { Fault, Properties } from "./setting";

/** Midnight UTC of a calendar day YYYY-MM-DD, in milliseconds; undefined if there is no such day. */
function midnight(day: unknown): number | undefined {
  if (typeof day !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const time = Date.parse(`${day}T00:00:00Z`);
  // Some engines take February 30 for March 2.
  return new Date(time || 0).toISOString().startsWith(day) ? time : undefined;
}

export function firstDayFault(day: string, label: TextValue): Fault | undefined {
  return midnight(day) === undefined ? ["settingDay", { label }] : undefined;
}

/** A missing first day is reported for its own field only. */
export function lastDayFault(day: string, label: TextValue, others: Properties): Fault | undefined {
  const [first, last] = [midnight(others("from")), midnight(day)];
  if (last === undefined) return ["settingDay", { label }];
  if (first === undefined) return undefined;
  if (last < first) return ["daysOrder"];
  return (last - first) / DAY >= MAX_HISTORY_DAYS ? ["rangeTooLong", { days: MAX_HISTORY_DAYS }] : undefined;
}
