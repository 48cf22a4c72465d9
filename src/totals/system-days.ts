// The days of one system: read once, computed in order from the battery's account of the day before, and kept.
import type { EnergyError } from "../errors";
import { AHEAD } from "../ledger/ledger";
import { MAX_WINDOW, splitWindow } from "../ledger/window";
import { isServiceObject, type ServiceObject } from "../models/service-object";
import { type TimedRecord, uniqueInOrder } from "../models/telemetry";
import type { StateStore } from "../stored-state";
import { HOUR, MINUTE } from "../time-units";
import {
  type Equipment,
  intervalsOf,
  type Peaks,
  type Readings,
  readingsAt,
  TOLERATED_BREAK,
} from "./balance";
import type { BatteryAccount } from "./battery-account";
import type { Priority } from "./flows";
import type { MoneyRule } from "./money";
import { cut, type LocalDay, type Span } from "./period";
import { areSame, type KnownDay, type KnownDays } from "./stored-days";
import { type Part, type Sums, sumsOf } from "./sums";
import { traceEnergy } from "./trace";

export interface DayRule {
  readonly equipment: Equipment;
  readonly priority: Priority;
  readonly money: MoneyRule | undefined;
  /** What the numbers of a span depend on besides its records; a day with another one is read again. */
  readonly keyOf: (span: Span) => string;
  /** Whether prices belong to times, so that another key of a day is a correction. */
  readonly hasDatedPrices: boolean;
}

export interface DayRun {
  readonly now: number;
  /** A message asks at once for days with holes; a schedule with growing pauses. */
  readonly isByMessage: boolean;
  /** The records that overlap a span of at most 24 hours, in order. Rejects with UnreadableSpan if only a part of the past fails. */
  readonly read: (span: Span) => Promise<readonly TimedRecord[]>;
  /** The parts of a day to sum up, too. */
  readonly partsOf?: ((day: LocalDay) => readonly Part[]) | undefined;
  /** Whether days that are known are read again for their parts, which are not kept: hours take 24 times as much as a day. */
  readonly mustSplit?: boolean;
}

/** Why a part of the past cannot be read, although the service answers for the present. */
export class UnreadableSpan extends Error {
  constructor(readonly reason: EnergyError) {
    super(reason.message);
  }
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

/** Days of one local month, by the first seven characters of their dates; undefined where they last as long as the run. */
export type MonthStore = (month: string) => StateStore<KnownDays> | undefined;

const FIRST_PAUSE = 5 * MINUTE;
const MAX_PAUSE = HOUR;
/** As long as a poll asks for gaps. */
const HOLE_HORIZON = 72 * HOUR;
/** How long a write waits for those of other systems, in milliseconds. */
const GATHERING = 50;

/** Fields of a group that the next day needs. */
const NEEDED = /^lifetime|^(?:remainingEnergy|stateOfCharge|totalEnergy)$/;

/** What a day begins with. */
interface Beginning {
  readonly account: BatteryAccount | undefined;
  readonly last: TimedRecord | undefined;
  readonly peaks: Peaks;
}

/** By date. */
type Month = Map<string, KnownDay>;

/** For one run. */
export class SystemDays {
  readonly #storeOf: MonthStore;
  readonly #since: string;
  readonly #months = new Map<string, Promise<Month>>();
  #saving: Promise<unknown> = Promise.resolve();

  /** @param since the first day that is kept, YYYY-MM-DD; earlier ones are read whenever they are asked for */
  constructor(storeOf: MonthStore, since = "") {
    this.#storeOf = storeOf;
    this.#since = since;
  }

  /** What the day after one that was read to its end begins with; undefined if it was not. */
  async beginning(day: LocalDay): Promise<Beginning | undefined> {
    const known = await this.#known(day);
    return known && isOver(known, day) ? beginningAfter(known) : undefined;
  }

  /** Of days in order, those after the last one that was read, from it on if it was not over then; none if none was read. */
  async unfinished(days: readonly LocalDay[]): Promise<readonly LocalDay[]> {
    for (const [index, day] of [...days.entries()].toReversed()) {
      const known = await this.#known(day);
      if (known) return days.slice(isOver(known, day) ? index + 1 : index);
    }
    return [];
  }

  /** Whether a day has to be read, as far as is known before those before it. */
  async isUnread(day: LocalDay, rule: DayRule, run: DayRun): Promise<boolean> {
    const known = await this.#known(day);
    const isPart = run.mustSplit || isCut(day);
    return isPart || !known || isOutdated(known, day, rule, run);
  }

  /** Whether a schedule reads a day again that it does not ask for: it has holes, or its prices were corrected. */
  async isDue(day: LocalDay, rule: DayRule, now: number): Promise<boolean> {
    const known = await this.#known(day);
    if (!known || !isOver(known, day)) return false;
    const isRepriced = rule.hasDatedPrices && known.rule !== rule.keyOf(day.whole);
    return isRepriced || (hasHoles(known) && now >= known.nextRead);
  }

  /**
   * The totals of a day, from its records if they are needed, and what the next day begins with.
   * @param records of the whole day, if they were read ahead
   */
  async totals(
    day: LocalDay,
    begin: Beginning | undefined,
    rule: DayRule,
    run: DayRun,
    records?: readonly TimedRecord[],
  ): Promise<{ totals: DayTotals; next: Beginning }> {
    const month = await this.#monthOf(day.date);
    const known = month.get(day.date);
    const isSame = known !== undefined && (begin === undefined || areEqual(known.before, begin.account));
    if (isSame && !records && !(await this.isUnread(day, rule, run))) {
      const { sums, revision } = known;
      return { totals: { day, sums, parts: [], revision, isRevised: false }, next: beginningAfter(known) };
    }
    const all = await around(day, begin?.last, records ?? (await readDay(day, run)), run);
    const { sums, whole, parts, next } = computed(day, begin, all, rule, run);
    const finished = known && isOver(known, day) ? known : undefined;
    const isRevised = finished !== undefined && !areSame(finished.sums, whole);
    const revision = (finished?.revision ?? 1) + Number(isRevised);
    // A day that has begun is kept once, so that the next one knows where to go on.
    if (day.whole.end <= run.now || !known) {
      const pause = finished && !isRevised ? Math.min(finished.pause * 2, MAX_PAUSE) : FIRST_PAUSE;
      const readAt = finished?.readAt ?? run.now;
      const nextRead = run.now - readAt > HOLE_HORIZON ? Number.MAX_SAFE_INTEGER : run.now + pause;
      const { last, peaks, account: after } = next;
      const of = { date: day.date, before: begin?.account, after, last: last && countersOf(last), peaks };
      const read = { rule: rule.keyOf(day.whole), revision, readAt, nextRead, pause };
      month.set(day.date, { ...of, sums: whole, ...read });
      this.#save(day.date.slice(0, 7), [...month.values()]);
    }
    return { totals: { day, sums, parts, revision, isRevised }, next };
  }

  /** Resolves once all days survive a crash. Rejects with StoreError. */
  async saved(): Promise<void> {
    await this.#saving;
  }

  #save(month: string, days: KnownDays): void {
    const kept = days.filter(({ date }) => date >= this.#since);
    const writes = [kept.length > 0 && this.#storeOf(month)?.save(kept, GATHERING)];
    // Once the days that are kept begin in this month, the one before it is over.
    if (month === this.#since.slice(0, 7))
      writes.push(this.#storeOf(monthBefore(month))?.save(undefined, GATHERING));
    this.#saving = Promise.all([this.#saving, ...writes]);
    // Whoever waits for it is told.
    this.#saving.catch(() => undefined);
  }

  async #known({ date }: LocalDay): Promise<KnownDay | undefined> {
    return (await this.#monthOf(date)).get(date);
  }

  #monthOf(date: string): Promise<Month> {
    const name = date.slice(0, 7);
    const known = this.#months.get(name);
    if (known) return known;
    const load = async (): Promise<Month> =>
      new Map((await this.#storeOf(name)?.load())?.map((day) => [day.date, day]));
    const loading = load();
    this.#months.set(name, loading);
    return loading;
  }
}

/** The records of a whole day, as far as it is over, with the one before it: as a rule, in one request. */
export async function readDay({ whole }: LocalDay, { now, read }: DayRun): Promise<readonly TimedRecord[]> {
  const end = Math.min(whole.end, now + AHEAD);
  const isShort = end - (whole.start - HOUR) <= MAX_WINDOW;
  // 24 hours from a moment earlier on overlap with both the record that ends with the day before and the last one of this day.
  const start = whole.start - (isShort ? HOUR : 1);
  const isMomentLonger = end - start === MAX_WINDOW + 1;
  const readFrom = async (window: Span): Promise<readonly TimedRecord[]> => {
    const records: TimedRecord[] = [];
    for (const part of splitWindow(window)) records.push(...(await read(part)));
    return uniqueInOrder(records);
  };
  try {
    return await readFrom({ start, end: isMomentLonger ? end - 1 : end });
  } catch (error) {
    if (!(error instanceof UnreadableSpan)) throw error;
    // Perhaps only what lies before the day cannot be read.
    return readFrom({ start: whole.start, end });
  }
}

/** With the last record before the day and, after a hole at its end, the first one behind it. */
async function around(
  { whole }: LocalDay,
  known: TimedRecord | undefined,
  records: readonly TimedRecord[],
  run: DayRun,
): Promise<readonly TimedRecord[]> {
  const ended = records.filter(({ end }) => end <= run.now);
  const [first] = ended;
  const hasBefore = first !== undefined && first.start <= whole.start - TOLERATED_BREAK;
  const before = known ?? (hasBefore ? undefined : await lastBefore(whole.start, run));
  const newest = ended.at(-1);
  const isOpen = newest !== undefined && whole.end <= run.now && newest.end < whole.end - TOLERATED_BREAK;
  const after = isOpen ? await firstAfter(whole.end, run) : undefined;
  return uniqueInOrder([...(before ? [before] : []), ...ended, ...(after ? [after] : [])]);
}

function lastBefore(time: number, { read }: DayRun): Promise<TimedRecord | undefined> {
  return inWiderSpans(async (length) =>
    (await read({ start: time - length, end: time })).findLast(({ end }) => end <= time),
  );
}

function firstAfter(time: number, { read, now }: DayRun): Promise<TimedRecord | undefined> {
  return inWiderSpans(async (length) => {
    const end = Math.min(time + length, now);
    return end > time ? (await read({ start: time, end })).find((record) => record.end <= now) : undefined;
  });
}

/** In an hour, else in a day; a day that cannot be read is not needed for the one beside it. */
async function inWiderSpans(
  find: (length: number) => Promise<TimedRecord | undefined>,
): Promise<TimedRecord | undefined> {
  try {
    return (await find(HOUR)) ?? (await find(MAX_WINDOW));
  } catch (error) {
    if (error instanceof UnreadableSpan) return undefined;
    throw error;
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
  const trace = traceEnergy(intervals, begin?.account, { from: start, until: end, priority, tariff: money });
  const newest = records.findLast((record) => record.end > start);
  const until = Math.min(Math.max(newest?.end ?? start, start), end);
  // What is over lacks what it lacks; what runs, and each of its parts, is known as far as its records.
  const reach = (span: Span): number => (span.end <= now ? span.end : until);
  const sumTo = (time: number, part: Part): Sums =>
    sumsOf(cut(part, { start, end: Math.max(time, part.start) }), trace.intervals, money);
  const whole = sumTo(reach(day.whole), day.whole);
  const parts = (partsOf?.(day) ?? []).filter((part) => part.start < reach(day));
  const partSums = parts.map((part) => sumTo(reach(day), part));
  const readings = readingsAt(
    partSums.map((sums) => sums.end),
    intervals,
  );
  return {
    whole,
    sums: isCut(day) ? sumTo(reach(day), day) : whole,
    parts: partSums.map((sums, index) => ({
      ...sums,
      whole: parts[index] ?? sums,
      readings: readings[index] ?? {},
    })),
    next: { account: trace.account, last: records.findLast((record) => record.end <= end), peaks },
  };
}

function beginningAfter({ after, last, peaks }: KnownDay): Beginning {
  return { account: after, last, peaks };
}

/** Whether only a part of a day is asked for: only whole days are kept. */
function isCut({ start, end, whole }: LocalDay): boolean {
  return start > whole.start || end < whole.end;
}

function isOver({ sums }: KnownDay, { whole }: LocalDay): boolean {
  return sums.start === whole.start && sums.end === whole.end;
}

function isOutdated(known: KnownDay, day: LocalDay, rule: DayRule, { now, isByMessage }: DayRun): boolean {
  if (known.rule !== rule.keyOf(day.whole) || !isOver(known, day)) return true;
  return hasHoles(known) && (isByMessage || now >= known.nextRead);
}

function hasHoles({ sums: { missing } }: KnownDay): boolean {
  return missing.length > 0;
}

function monthBefore(month: string): string {
  return new Date(Date.parse(month) - 1).toISOString().slice(0, 7);
}

/** All that the next day needs of a record: counters, and what the battery holds. */
function countersOf({ record, start, end }: TimedRecord): TimedRecord {
  const { startTime, endTime, grid, solar, storage, consumption } = record;
  const needed = (group: unknown): ServiceObject | null =>
    isServiceObject(group)
      ? Object.fromEntries(Object.entries(group).filter(([name]) => NEEDED.test(name)))
      : null;
  const groups = {
    grid: needed(grid),
    solar: needed(solar),
    storage: needed(storage),
    consumption: needed(consumption),
  };
  return { record: { startTime, endTime, ...groups }, start, end };
}

function areEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
