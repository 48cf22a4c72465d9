// Puts the days of a period together: the whole and, if it is split, its hours, days or months.
import { groupsIn, partOf, type PayloadRule, type TotalsPart, type TotalsPayload } from "./payload";
import type { SiteCalendar, Span, Split } from "./period";
import { joinedSums, type Sums } from "./sums";
import type { DayTotals } from "./system-days";

export interface TotalsRule extends Omit<
  PayloadRule,
  "iso" | "nettingBlock" | "revision" | "period" | "timezone"
> {
  readonly calendar: SiteCalendar;
  readonly split: Split;
}

/** The whole period with its parts. `days` in order, at least one. */
export function periodTotals(
  period: string,
  { end }: Span,
  days: readonly DayTotals[],
  { calendar, split, ...rule }: TotalsRule,
): TotalsPayload {
  const netting = rule.money?.netting;
  const isNettedLater = netting === "month" || netting === "year";
  const all = joinedSums(days.map(({ sums }) => sums));
  const shared = {
    ...rule,
    timezone: calendar.zone,
    iso: (time: number): string => calendar.iso(time),
    nettingBlock: isNettedLater ? (time: number) => calendar.unitOf(time, netting) : undefined,
    // What a part lacks, it misses.
    present: [...rule.present, ...groupsIn(all)],
  };
  const part = (
    name: string,
    until: number,
    of: readonly DayTotals[],
    sums = of.map((day) => day.sums),
  ): TotalsPart => {
    const revision = of.reduce((sum, day) => sum + day.revision - 1, 1);
    return partOf(joinedSums(sums), until, sums, { ...shared, period: name, revision });
  };
  const whole = part(period, end, days);
  switch (split) {
    case "hour":
      return { ...whole, parts: days.flatMap((day) => hoursOf(day, calendar, part)) };
    case "day":
      return { ...whole, parts: days.map((day) => part(split, day.day.end, [day])) };
    case "month": {
      const months = new Map<number, DayTotals[]>();
      for (const one of days) {
        const until = Math.min(calendar.period("month", one.day.start).end, end);
        months.set(until, [...(months.get(until) ?? []), one]);
      }
      return { ...whole, parts: [...months].map(([until, month]) => part(split, until, month)) };
    }
    default:
      return whole;
  }
}

/** Each hour that has begun, with its end, which may be in the future. */
function hoursOf(
  day: DayTotals,
  calendar: SiteCalendar,
  part: (name: string, until: number, of: DayTotals[], sums: Sums[]) => TotalsPart,
): TotalsPart[] {
  const hours = calendar.hours(day.day);
  return day.parts.map((sums, index) => part("hour", hours[index]?.end ?? sums.end, [day], [sums]));
}
