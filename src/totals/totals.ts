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
import type { Span } from "./period";
import { joinedSums, type Sums } from "./sums";
import type { DayTotals } from "./system-days";

/** The whole period with its parts. `days` in order, at least one. */
export async function periodTotals(
  period: string,
  { end }: Span,
  days: readonly DayTotals[],
  rule: PayloadRule,
): Promise<TotalsPayload> {
  const whole = pieceOf(period, end, days);
  // What a part lacks, it misses.
  const shared = { ...rule, present: [...rule.present, ...groupsIn(joinedSums(whole.sums))] };
  const payload = partOf(whole, shared);
  if (rule.split === "none") return payload;
  const parts: TotalsPart[] = [];
  // A year has 8,760 hours.
  await inTurns(piecesOf(days, end, rule), (piece) => void parts.push(partOf(piece, shared)));
  return { ...payload, parts };
}

function pieceOf(
  period: string,
  end: number,
  days: readonly DayTotals[],
  sums: readonly Sums[] = days.map((day) => day.sums),
): Piece {
  return { period, end, revision: days.reduce((sum, day) => sum + day.revision - 1, 1), sums };
}

function piecesOf(days: readonly DayTotals[], end: number, { calendar, split }: PayloadRule): Piece[] {
  if (split === "hour")
    return days.flatMap((day) => day.parts.map((part) => pieceOf(split, part.whole.end, [day], [part])));
  if (split === "day") return days.map((day) => pieceOf(split, day.day.end, [day]));
  const months = new Map<number, DayTotals[]>();
  for (const one of days) {
    const until = Math.min(calendar.period("month", one.day.start).end, end);
    months.set(until, [...(months.get(until) ?? []), one]);
  }
  return [...months].map(([until, month]) => pieceOf(split, until, month));
}
