// The sums of a local day and of its hours, computed from its records and from what the day before has left.
import type { TimedRecord } from "../models/telemetry";
import { cut, type LocalDay, type Part, type SiteCalendar, type Split } from "../site-calendar";
import type { TimeWindow } from "../time-units";
import { intervalsOf, readingsOver } from "./balance";
import type { Group, SolarPriority } from "./energies";
import { type MoneyRule, MoneySum } from "./money";
import { countersOf, type KnownDay, storable } from "./stored-days";
import { type Sums, sumsOf } from "./sums";
import { traceEnergy } from "./trace";

export interface DayRule {
  readonly calendar: SiteCalendar;
  /** Groups without equipment. */
  readonly absent: ReadonlySet<Group>;
  readonly priority: SolarPriority;
  readonly money: MoneyRule | undefined;
  /** Hours are never stored, since they would take 24 times as much as a day: a day that is split into them is read each time. */
  readonly split: Split;
}

/** With the part as long as it will be, even while it runs, and the lifetime counters at its end, in Wh. */
export type PartSums = ReturnType<typeof daySums>["parts"][number];

export function daySums(
  day: LocalDay,
  begin: KnownDay | undefined,
  records: readonly TimedRecord[],
  rule: DayRule,
  now: number,
) {
  const { calendar, absent, money, split } = rule;
  const { start, end } = day.whole;
  const peaks = { ...begin?.peaks };
  let intervals = intervalsOf(records, absent, peaks);
  // A gap at the start of the day is not judged by what came before it alone.
  if (intervals.some(({ resets }) => resets.length > 0)) intervals = intervalsOf(records, absent, peaks);
  const after = traceEnergy(intervals, begin?.after, day.whole, rule);
  const newest = records.findLast((record) => record.end > start);
  const last = records.findLast((record) => record.end <= end);
  const until = Math.min(Math.max(newest?.end ?? start, start), end);
  // What is over lacks what it lacks; what runs, and each of its parts, is known as far as its records.
  const reach = (span: TimeWindow): number => (span.end <= now ? span.end : until);
  const sumTo = (time: number, part: Part): Sums => {
    const reached = cut(part, { start, end: Math.max(time, part.start) });
    return sumsOf(reached, intervals, money && new MoneySum(money, calendar));
  };
  const whole = storable(sumTo(reach(day.whole), day.whole));
  const readingsAt = readingsOver(intervals);
  const parts = (split === "hour" ? calendar.hours(day) : [])
    .filter((part) => part.start < reach(day))
    .map((part) => {
      const sums = sumTo(reach(day), part);
      return { ...sums, whole: part, readings: readingsAt(sums.end) };
    });
  return {
    whole,
    sums: isCut(day) ? sumTo(reach(day), day) : whole,
    parts,
    end: { after, last: last && countersOf(last), peaks },
  };
}

/** Whether only a part of a day is requested: only whole days are stored. */
export function isCut({ start, end, whole }: LocalDay): boolean {
  return start > whole.start || end < whole.end;
}
