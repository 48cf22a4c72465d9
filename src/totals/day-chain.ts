// Reads the days of a system in order, each from the battery's account of the day before, and ahead of that where it has to.
import { AbortedError } from "../errors";
import { DAY } from "../time-units";
import type { LocalDay, SiteCalendar } from "./period";
import {
  type DayRule,
  type DayRun,
  type DayTotals,
  readDay,
  type SystemDays,
  UnreadableSpan,
} from "./system-days";

/** Days before the period that a schedule looks at for late records. */
export const DAYS_BACK = 4;
/** Days that are read at the same time. */
const READ_AHEAD = 4;

export class DayChain {
  readonly #days: SystemDays;
  readonly #rule: DayRule;
  readonly #calendar: SiteCalendar;

  constructor(days: SystemDays, rule: DayRule, calendar: SiteCalendar) {
    this.#days = days;
    this.#rule = rule;
    this.#calendar = calendar;
  }

  /** The days before a time that now have other numbers than when they were sent, and those after them. */
  async corrected(time: number, run: DayRun): Promise<DayTotals[]> {
    const past = this.#daysBefore(time);
    let first = 0;
    for (const day of past) {
      if (await this.#days.isDue(day, this.#rule, run.now)) break;
      first += 1;
    }
    const { totals } = await this.#readAll(past.slice(first), run);
    return totals.filter(({ isRevised }) => isRevised);
  }

  /** Rejects with the service's error if a day cannot be read; those that can are kept. */
  async read(days: readonly LocalDay[], run: DayRun): Promise<DayTotals[]> {
    const [first] = days;
    const before = first ? this.#daysBefore(first.whole.start) : [];
    // The battery's account goes on over days that no one asked for; without them, it begins anew.
    if (!this.#rule.equipment.absent.has("storage"))
      await this.#readAll(await this.#days.unfinished(before), { ...run, mustSplit: false }).catch(
        (error: unknown) => {
          if (error instanceof AbortedError) throw error;
        },
      );
    const { totals, failure } = await this.#readAll(days, run);
    if (failure) throw failure.reason;
    return totals;
  }

  #daysBefore(time: number): LocalDay[] {
    const { start } = this.#calendar.period("today", time - DAYS_BACK * DAY);
    return this.#calendar.days({ start, end: time });
  }

  /** A day that cannot be read holds up none of those after it: the battery's account begins anew. */
  async #readAll(
    days: readonly LocalDay[],
    run: DayRun,
  ): Promise<{ totals: DayTotals[]; failure: UnreadableSpan | undefined }> {
    const [first] = days;
    const before = first && this.#daysBefore(first.whole.start).at(-1);
    let begin = before && (await this.#days.beginning(before));
    const ahead = new Map<string, ReturnType<typeof readDay>>();
    const totals: DayTotals[] = [];
    let failure: UnreadableSpan | undefined;
    for (const [index, day] of days.entries()) {
      for (const next of days.slice(index, index + READ_AHEAD)) {
        if (ahead.has(next.date) || !(await this.#days.isUnread(next, this.#rule, run))) continue;
        const reading = readDay(next, run);
        // Awaited in its turn: until then a failure must not count as unhandled.
        reading.catch(() => undefined);
        ahead.set(next.date, reading);
      }
      try {
        const records = await ahead.get(day.date);
        const { totals: own, next } = await this.#days.totals(day, begin, this.#rule, run, records);
        begin = next;
        totals.push(own);
      } catch (error) {
        if (!(error instanceof UnreadableSpan)) throw error;
        failure ??= error;
        begin = undefined;
      }
      ahead.delete(day.date);
    }
    return { totals, failure };
  }
}
