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
  const all = joinedSums(days.map(({ sums }) => sums));
  const shared = {
    ...rule,
    timezone: calendar.zone,
    iso: (time: number): string => calendar.iso(time),
    nettingBlock:
      netting === "month" || netting === "year"
        ? (time: number) => calendar.unitOf(time, netting)
        : undefined,
    // What a part lacks, it misses.
    present: [...rule.present, ...groupsIn(all)],
  };
  const part = (
    sums: readonly Sums[],
    until: number,
    of: readonly DayTotals[],
    name: string = split,
  ): TotalsPart => {
    const revision = of.reduce((sum, day) => sum + day.revision - 1, 1);
    return partOf(joinedSums(sums), until, sums, { ...shared, period: name, revision });
  };
  const whole = part(
    days.map(({ sums }) => sums),
    end,
    days,
    period,
  );
  switch (split) {
    case "hour":
      return {
        ...whole,
        parts: days.flatMap((day) =>
          hoursOf(day, calendar).map(([sums, until]) => part([sums], until, [day])),
        ),
      };
    case "day":
      return { ...whole, parts: days.map((day) => part([day.sums], day.day.end, [day])) };
    case "month":
      return {
        ...whole,
        parts: monthsOf(days, calendar).map((month) =>
          part(
            month.map(({ sums }) => sums),
            monthEnd(month, calendar, end),
            month,
          ),
        ),
      };
    default:
      return whole;
  }
}

/** Each hour that has begun, with its end, which may be in the future. */
function hoursOf({ day, parts }: DayTotals, calendar: SiteCalendar): [Sums, number][] {
  const hours = calendar.hours(day);
  return parts.map((sums, index) => [sums, hours[index]?.end ?? sums.end]);
}

function monthsOf(days: readonly DayTotals[], calendar: SiteCalendar): DayTotals[][] {
  const months = new Map<string, DayTotals[]>();
  for (const one of days) {
    const name = calendar.unitOf(one.day.start, "month");
    months.set(name, [...(months.get(name) ?? []), one]);
  }
  return [...months.values()];
}

function monthEnd(days: readonly DayTotals[], calendar: SiteCalendar, end: number): number {
  const last = days.at(-1)?.day.start ?? end;
  return Math.min(calendar.period("month", last).end, end);
}
