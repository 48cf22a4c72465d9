// Puts the days of a period together: the whole and, if it is split, its hours, days or months.
import { inTurns } from "../loop-turns";
import {
  groupsIn,
  partOf,
  type PayloadRule,
  type Piece,
  type TotalsPart,
  type TotalsPayload,
} from "./payload";
import { joinedSums } from "./sums";
import type { TimeWindow } from "../time-units";
import type { DayTotals } from "./system-days";

/** The whole period with its parts. `days` in order, at least one. */
export async function periodTotals(
  period: string,
  { end }: TimeWindow,
  days: readonly DayTotals[],
  rule: PayloadRule,
): Promise<TotalsPayload> {
  // What a part lacks, it misses.
  const groups = groupsIn(joinedSums(days.map(({ sums }) => sums)));
  const shared = { ...rule, present: [...rule.present, ...groups] };
  const payload = partOf({ period, end, days }, shared);
  if (rule.split === "none") return payload;
  const parts: TotalsPart[] = [];
  // A year has 8,760 hours.
  await inTurns(piecesOf(days, end, rule), (piece) => void parts.push(partOf(piece, shared)));
  return { ...payload, parts };
}

function piecesOf(days: readonly DayTotals[], end: number, { calendar, split }: PayloadRule): Piece[] {
  if (split === "hour")
    return days.flatMap(({ parts, revision }) =>
      parts.map((sums) => ({ period: split, end: sums.whole.end, days: [{ sums, revision }] })),
    );
  if (split === "day") return days.map((one) => ({ period: split, end: one.day.end, days: [one] }));
  const months = new Map<number, DayTotals[]>();
  for (const one of days) {
    const until = Math.min(calendar.period("month", one.day.start).end, end);
    months.set(until, [...(months.get(until) ?? []), one]);
  }
  return [...months].map(([until, month]) => ({ period: split, end: until, days: month }));
}
