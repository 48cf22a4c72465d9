// The days of one system: read once, computed in order from the battery's account of the day before, and kept.
import { AbortedError } from "../errors";
import type { TimedRecord } from "../models/telemetry";
import type { StateStore } from "../stored-state";
import { DAY, HOUR, MINUTE } from "../time-units";
import { type Equipment, intervalsOf, type Readings, readingsAt } from "./balance";
import { type DayReader, readDay, UnreadableSpan, withNeighbors } from "./day-records";
import type { Priority } from "./flows";
import type { MoneyRule } from "./money";
import { cut, type LocalDay, type SiteCalendar, type Span } from "./period";
import { areSame, countersOf, type KnownDay, type KnownDays } from "./stored-days";
import { type Part, type Sums, sumsOf } from "./sums";
import { traceEnergy } from "./trace";

export interface DayRule {
  readonly calendar: SiteCalendar;
  readonly equipment: Equipment;
  readonly priority: Priority;
  readonly money: MoneyRule | undefined;
  /** What the numbers of a span depend on besides its records; a day with another one is read again. */
  readonly keyOf: (span: Span) => string;
  /** Whether prices belong to times, so that another key of a day is a correction. */
  readonly hasDatedPrices: boolean;
}

export interface DayRun extends DayReader {
  /** A message asks at once for days with holes; a schedule with growing pauses. */
  readonly isByMessage: boolean;
  /** The parts of a day to sum up, too: days that are asked for are read for them, which are not kept, because hours take 24 times as much as a day. */
  readonly partsOf?: ((day: LocalDay) => readonly Part[]) | undefined;
}

export interface PartSums extends Sums {
  /** As long as it will be, even while it runs. */
  readonly whole: Span;
  /** Lifetime counters at the end of the part, in Wh. */
  readonly readings: Readings;
}

export interface DayTotals {
  readonly day: LocalDay;
  /** Of a running day: up to the end of its last record. */
  readonly sums: Sums;
  readonly parts: readonly PartSums[];
  readonly revision: number;
  /** Whether a day that was known came with other numbers. */
  readonly isRevised: boolean;
}

/** In order, and why one of the days could not be read. */
export interface DaysRead {
  readonly totals: DayTotals[];
  readonly failure: UnreadableSpan | undefined;
}

export interface DayStores {
  /** Days of one local month, by the first seven characters of their dates; undefined where they last as long as the run. */
  readonly of: (month: string) => StateStore<KnownDays> | undefined;
  /** The first day that is kept, YYYY-MM-DD; earlier ones are read whenever they are asked for. */
  readonly since?: string;
}

/** Days before the period that a schedule looks at for late records, corrected prices, and days that no run has read. */
export const DAYS_BACK = 31;
/** Days that are read at the same time. */
const READ_AHEAD = 4;
const FIRST_PAUSE = 5 * MINUTE;
const MAX_PAUSE = HOUR;
/** As long as a poll asks for gaps. */
const HOLE_HORIZON = 72 * HOUR;
/** How much of the time since the last read counts as asking: while Node-RED was off, nobody could. */
const MAX_COUNTED = 6 * HOUR;
/** How long a write waits for those of other systems, in milliseconds. */
const GATHERING = 50;

/** What a day begins with. */
type Beginning = Pick<KnownDay, "after" | "last" | "peaks">;

/** By date. */
type Month = Map<string, KnownDay>;

/** For one run. */
export class SystemDays {
  readonly #stores: DayStores;
  readonly #rule: DayRule;
  readonly #months = new Map<string, Promise<Month>>();
  #saving: Promise<unknown> = Promise.resolve();

  constructor(stores: DayStores, rule: DayRule) {
    this.#stores = stores;
    this.#rule = rule;
  }

  /** The totals of days in order. Rejects with the service's error if a day cannot be read; those that can are kept. */
  async read(days: readonly LocalDay[], run: DayRun): Promise<DayTotals[]> {
    const [first] = days;
    // The battery's account goes on over days that no one asked for; without them, it begins anew.
    if (first && !this.#rule.equipment.absent.has("storage"))
      await this.#readAll(await this.#unfinished(first.whole.start), run, false).catch((error: unknown) => {
        if (error instanceof AbortedError) throw error;
      });
    const { totals, failure } = await this.#readAll(days, run, run.partsOf !== undefined);
    if (failure) throw failure.reason;
    return totals;
  }

  /**
   * The days before a time that now have other numbers than when they were sent, with those that change with them.
   * @param withSkipped whether also those that no run has read because there was none, or the service failed; `failure` says
   * why one cannot be read
   */
  async corrected(time: number, run: DayRun, withSkipped = false): Promise<DaysRead> {
    const past = this.#daysBefore(time);
    const skipped = new Set(withSkipped ? (await this.#skipped(past, time)).map(({ date }) => date) : []);
    for (const [index, day] of past.entries()) {
      if (!skipped.has(day.date) && !(await this.#isDue(day, run.now))) continue;
      const { totals, failure } = await this.#readAll(past.slice(index), run, false);
      const read = new Set(totals.map(({ day: { date } }) => date));
      return {
        totals: totals.filter(({ day: { date }, isRevised }) => isRevised || skipped.has(date)),
        failure: [...skipped].every((date) => read.has(date)) ? undefined : failure,
      };
    }
    return { totals: [], failure: undefined };
  }

  /** Resolves once all days survive a crash. Rejects with StoreError. */
  async saved(): Promise<void> {
    await this.#saving;
  }

  #daysBefore(time: number): LocalDay[] {
    const { calendar } = this.#rule;
    return calendar.days({ start: calendar.period("today", time - DAYS_BACK * DAY).start, end: time });
  }

  /** Of the days before a time, those after the last one that was read, from it on if it was not over then; none if none was read. */
  async #unfinished(time: number): Promise<readonly LocalDay[]> {
    const days = this.#daysBefore(time);
    for (const [index, day] of [...days.entries()].toReversed()) {
      const known = await this.#known(day);
      if (known) return days.slice(isOver(known, day) ? index + 1 : index);
    }
    return [];
  }

  /**
   * Of past days, those after the first one known that were not read to their end. Those before the last one known could not be
   * read: they are asked for once a day, before the day at the time is read.
   */
  async #skipped(past: readonly LocalDay[], time: number): Promise<readonly LocalDay[]> {
    const [last] = this.#rule.calendar.days({ start: time, end: time + 1 });
    if (last && isOver(await this.#known(last), last)) return this.#unfinished(time);
    const known = await Promise.all(past.map((day) => this.#known(day)));
    const first = known.findIndex((day) => day !== undefined);
    return past.filter((day, index) => first !== -1 && index >= first && !isOver(known[index], day));
  }

  /** Whether a schedule reads a day again that it does not ask for: it has holes, or its prices were corrected. */
  async #isDue(day: LocalDay, now: number): Promise<boolean> {
    const known = await this.#known(day);
    if (!isOver(known, day)) return false;
    const isRepriced = this.#rule.hasDatedPrices && known.rule !== this.#rule.keyOf(day.whole);
    return isRepriced || isToRead(known, now);
  }

  /**
   * A day that cannot be read holds up none of those after it: the battery's account begins anew.
   * @param mustSplit whether days that are known are read for their parts
   */
  async #readAll(days: readonly LocalDay[], run: DayRun, mustSplit: boolean): Promise<DaysRead> {
    let begin = days[0] && (await this.#beginningOf(days[0]));
    const ahead = new Map<LocalDay, ReturnType<typeof readDay>>();
    const totals: DayTotals[] = [];
    let failure: UnreadableSpan | undefined;
    for (const [index, day] of days.entries()) {
      for (const next of days.slice(index, index + READ_AHEAD)) {
        if (ahead.has(next) || !(mustSplit || (await this.#isUnread(next, run)))) continue;
        const reading = readDay(next.whole, run);
        // Awaited in its turn: until then a failure must not count as unhandled.
        reading.catch(() => undefined);
        ahead.set(next, reading);
      }
      try {
        const { totals: own, next } = await this.#totalsOf(day, begin, run, await ahead.get(day));
        begin = next;
        totals.push(own);
      } catch (error) {
        if (!(error instanceof UnreadableSpan)) throw error;
        failure ??= error;
        begin = undefined;
      }
      ahead.delete(day);
    }
    return { totals, failure };
  }

  /** Undefined if the day before was not read to its end. */
  async #beginningOf({ whole }: LocalDay): Promise<Beginning | undefined> {
    const [before] = this.#rule.calendar.days({ start: whole.start - 1, end: whole.start });
    const known = before && (await this.#known(before));
    return before && isOver(known, before) ? known : undefined;
  }

  /** Whether a day has to be read, as far as is known before those before it. */
  async #isUnread(day: LocalDay, { now, isByMessage }: DayRun): Promise<boolean> {
    const known = await this.#known(day);
    if (isCut(day) || !isOver(known, day) || known.rule !== this.#rule.keyOf(day.whole)) return true;
    return isToRead(known, now) || (isByMessage && hasHoles(known));
  }

  /**
   * From the day's records if they are needed, and what the next day begins with.
   * @param records of the whole day, if they were read ahead
   */
  async #totalsOf(
    day: LocalDay,
    begin: Beginning | undefined,
    run: DayRun,
    records: readonly TimedRecord[] | undefined,
  ): Promise<{ totals: DayTotals; next: Beginning }> {
    const month = await this.#monthOf(day.date);
    const known = month.get(day.date);
    if (
      known &&
      !records &&
      (begin === undefined || JSON.stringify(known.before) === JSON.stringify(begin.after))
    ) {
      const { sums, revision } = known;
      return { totals: { day, sums, parts: [], revision, isRevised: false }, next: known };
    }
    const own = records ?? (await readDay(day.whole, run));
    const all = await withNeighbors(day.whole, begin?.last, own, run);
    const { sums, whole, parts, next } = computed(day, begin, all, this.#rule, run);
    const finished = isOver(known, day) ? known : undefined;
    const isRevised = finished !== undefined && !areSame(finished.sums, whole);
    const revision = (finished?.revision ?? 1) + Number(isRevised);
    // A day that has begun is kept once, so that the next one knows where to go on.
    if (day.whole.end <= run.now || !known || isAhead(known, run.now)) {
      const { readAt = run.now, asked: askedBefore = 0 } = finished ?? {};
      const asked = askedBefore + Math.min(Math.max(run.now - readAt, 0), MAX_COUNTED);
      // Each pause doubles the time for which the day has been asked for.
      const pause = Math.min(Math.max(isRevised ? 0 : asked, FIRST_PAUSE), MAX_PAUSE);
      const nextRead = asked > HOLE_HORIZON ? Number.MAX_SAFE_INTEGER : run.now + pause;
      const rule = this.#rule.keyOf(day.whole);
      const of = { date: day.date, sums: whole, before: begin?.after, ...next };
      month.set(day.date, {
        ...of,
        last: next.last && countersOf(next.last),
        rule,
        revision,
        readAt: run.now,
        asked,
        nextRead,
      });
      this.#save(day.date.slice(0, 7), [...month.values()]);
    }
    return { totals: { day, sums, parts, revision, isRevised }, next };
  }

  #save(month: string, days: KnownDays): void {
    const { of: storeOf, since = "" } = this.#stores;
    const kept = days.filter(({ date }) => date >= since);
    const writes = [kept.length > 0 && storeOf(month)?.save(kept, GATHERING)];
    // Once the days that are kept begin in this month, the one before it is over.
    if (month === since.slice(0, 7)) writes.push(storeOf(monthBefore(month))?.save(undefined, GATHERING));
    this.#saving = Promise.all([this.#saving, ...writes]);
    // Whoever waits for it is told.
    this.#saving.catch(() => undefined);
  }

  async #known({ date }: LocalDay): Promise<KnownDay | undefined> {
    return (await this.#monthOf(date)).get(date);
  }

  #monthOf(date: string): Promise<Month> {
    const name = date.slice(0, 7);
    const load = async (): Promise<Month> =>
      new Map((await this.#stores.of(name)?.load())?.map((day) => [day.date, day]));
    const month = this.#months.get(name) ?? load();
    this.#months.set(name, month);
    return month;
  }
}

function computed(
  day: LocalDay,
  begin: Beginning | undefined,
  records: readonly TimedRecord[],
  { equipment, priority, money }: DayRule,
  { now, partsOf }: DayRun,
): { sums: Sums; whole: Sums; parts: PartSums[]; next: Beginning } {
  const { start, end } = day.whole;
  const peaks = { ...begin?.peaks };
  const intervals = intervalsOf(records, equipment, peaks);
  const trace = traceEnergy(intervals, begin?.after, { from: start, until: end, priority, tariff: money });
  const newest = records.findLast((record) => record.end > start);
  const until = Math.min(Math.max(newest?.end ?? start, start), end);
  // What is over lacks what it lacks; what runs, and each of its parts, is known as far as its records.
  const reach = (span: Span): number => (span.end <= now ? span.end : until);
  const sumTo = (time: number, part: Part): Sums =>
    sumsOf(cut(part, { start, end: Math.max(time, part.start) }), trace.intervals, money);
  const whole = sumTo(reach(day.whole), day.whole);
  const parts = (partsOf?.(day) ?? [])
    .filter((part) => part.start < reach(day))
    .map((part) => ({ ...sumTo(reach(day), part), whole: part }));
  const ends = parts.map((part) => part.end);
  const readings = readingsAt(ends, intervals);
  return {
    whole,
    sums: isCut(day) ? sumTo(reach(day), day) : whole,
    parts: parts.map((part, index) => ({ ...part, readings: readings[index] ?? {} })),
    next: { after: trace.account, last: records.findLast((record) => record.end <= end), peaks },
  };
}

/** Whether only a part of a day is asked for: only whole days are kept. */
function isCut({ start, end, whole }: LocalDay): boolean {
  return start > whole.start || end < whole.end;
}

/** Whether a day was read to its end. */
function isOver(known: KnownDay | undefined, { whole }: LocalDay): known is KnownDay {
  return known?.sums.start === whole.start && known.sums.end === whole.end;
}

function hasHoles({ sums: { missing } }: KnownDay): boolean {
  return missing.length > 0;
}

/** Whether it was read by a clock that has been set back since: what it took for over may not have been. */
function isAhead({ readAt }: KnownDay, now: number): boolean {
  return readAt > now;
}

function isToRead(known: KnownDay, now: number): boolean {
  return hasHoles(known) && (now >= known.nextRead || isAhead(known, now));
}

function monthBefore(month: string): string {
  return new Date(Date.parse(month) - 1).toISOString().slice(0, 7);
}
