// The days of one system: read once, computed in order from the battery's account of the day before, and kept.
import { HOUR, MINUTE } from "../time-units";
import type { TimedRecord } from "../models/telemetry";
import type { StateStore } from "../stored-state";
import { type Equipment, intervalsOf } from "./balance";
import type { BatteryAccount } from "./battery-account";
import type { Priority } from "./flows";
import type { MoneyRule } from "./money";
import type { LocalDay, Span } from "./period";
import { areSame, type KnownDay, type KnownDays } from "./stored-days";
import { type Part, type Sums, sumsOf } from "./sums";
import { traceEnergy } from "./trace";

export interface DayRule {
  readonly equipment: Equipment;
  readonly priority: Priority;
  readonly money: MoneyRule | undefined;
  /** What the numbers of a span depend on besides its records; a day with another one is read again. */
  readonly keyOf: (span: Span) => string;
}

export interface DayRun {
  readonly now: number;
  /** A message asks at once for days with holes; a schedule with growing pauses. */
  readonly isByMessage: boolean;
  /** The records that overlap a span of at most 24 hours, in order. Rejects if a part of it cannot be read. */
  readonly read: (span: Span) => Promise<readonly TimedRecord[]>;
  /** The parts of a day to sum up, too. */
  readonly partsOf?: ((day: LocalDay) => readonly Part[]) | undefined;
}

export interface DayTotals {
  readonly day: LocalDay;
  /** Of a running day: up to the end of its last record. */
  readonly sums: Sums;
  readonly parts: readonly Sums[];
  readonly revision: number;
  /** Whether a day that was known came with other numbers. */
  readonly isRevised: boolean;
}

/** Days of one local month, by the first seven characters of their dates. */
export type MonthStore = (month: string) => StateStore<KnownDays> | undefined;

const FIRST_PAUSE = 5 * MINUTE;
const MAX_PAUSE = HOUR;
/** As long as a poll asks for gaps. */
const HOLE_HORIZON = 72 * HOUR;
const MAX_WINDOW = 24 * HOUR;
/** How long a write waits for those of other systems, in milliseconds. */
const GATHERING = 1000;
/** Records end late or early by less than this. */
const TOLERANCE = 2000;

/** What a day begins with. */
interface Beginning {
  account: BatteryAccount | undefined;
  last: TimedRecord | undefined;
}

interface Month {
  readonly name: string;
  readonly store: StateStore<KnownDays> | undefined;
  readonly days: Map<string, KnownDay>;
}

export class SystemDays {
  readonly #storeOf: MonthStore;
  /** The month in use: days come in order. */
  #month: Month | undefined;

  constructor(storeOf: MonthStore) {
    this.#storeOf = storeOf;
  }

  /** What the day after a known one begins with; undefined if that is not known. */
  async beginning(dayBefore: string): Promise<Beginning | undefined> {
    const known = (await this.#monthOf(dayBefore)).days.get(dayBefore);
    return known && { account: known.after, last: known.last };
  }

  /** Whether a day has to be read, as far as is known before those before it. */
  async isUnread(day: LocalDay, rule: DayRule, run: DayRun): Promise<boolean> {
    const known = (await this.#monthOf(day.date)).days.get(day.date);
    return run.partsOf !== undefined || known === undefined || isOutdated(known, day, rule, run);
  }

  /** Of those given, the days that a schedule reads again because they have holes. */
  async daysDue(days: readonly LocalDay[], now: number): Promise<LocalDay[]> {
    const due: LocalDay[] = [];
    for (const day of days) {
      const known = (await this.#monthOf(day.date)).days.get(day.date);
      if (known && hasHoles(known.sums) && now >= known.nextRead) due.push(day);
    }
    return due;
  }

  /**
   * The totals of a day, from its records if they are needed, and what the next day begins with.
   * @param records of the day, if they were read ahead
   */
  async totals(
    day: LocalDay,
    begin: Beginning | undefined,
    rule: DayRule,
    run: DayRun,
    records?: readonly TimedRecord[],
  ): Promise<{ totals: DayTotals; next: Beginning }> {
    const month = await this.#monthOf(day.date);
    const known = month.days.get(day.date);
    const isSame = known !== undefined && (begin === undefined || areEqual(known.before, begin.account));
    if (known && isSame && !records && run.partsOf === undefined && !isOutdated(known, day, rule, run)) {
      const totals = { day, sums: known.sums, parts: [], revision: known.revision, isRevised: false };
      return { totals, next: { account: known.after, last: known.last } };
    }
    const all = await this.#around(day, begin?.last, records ?? (await readDay(day, run)), run);
    const { sums, parts, account, last } = computed(day, begin?.account, all, rule, run);
    const isOver = day.end <= run.now && day.days === 1;
    const isRevised = known !== undefined && !areSame(known.sums, sums);
    const revision = (known?.revision ?? 1) + Number(isRevised);
    const next = { account, last };
    if (isOver) {
      const pause = known && !isRevised ? Math.min(known.pause * 2, MAX_PAUSE) : FIRST_PAUSE;
      const readAt = known?.readAt ?? run.now;
      const nextRead = run.now - readAt > HOLE_HORIZON ? Number.MAX_SAFE_INTEGER : run.now + pause;
      const before = begin?.account;
      month.days.set(day.date, {
        date: day.date,
        sums,
        before,
        after: account,
        last: last && countersOf(last),
        rule: rule.keyOf(day),
        revision,
        readAt,
        nextRead,
        pause,
      });
      await month.store?.save([...month.days.values()], GATHERING);
    }
    return { totals: { day, sums, parts, revision, isRevised }, next };
  }

  /** With the last record before the day and, after a hole at its end, the first one behind it. */
  async #around(
    day: LocalDay,
    known: TimedRecord | undefined,
    records: readonly TimedRecord[],
    run: DayRun,
  ): Promise<TimedRecord[]> {
    const ended = records.filter(({ end }) => end <= run.now);
    const [first] = ended;
    const before =
      known ?? (first && first.start <= day.start - TOLERANCE ? undefined : await lastBefore(day.start, run));
    const newest = ended.at(-1);
    const isOpen = newest !== undefined && day.end <= run.now && newest.end < day.end - TOLERANCE;
    const after = isOpen ? await firstAfter(day.end, run) : undefined;
    return uniqueInOrder([...(before ? [before] : []), ...ended, ...(after ? [after] : [])]);
  }

  async #monthOf(date: string): Promise<Month> {
    const name = date.slice(0, 7);
    if (this.#month?.name === name) return this.#month;
    const store = this.#storeOf(name);
    const days = (await store?.load()) ?? [];
    this.#month = { name, store, days: new Map(days.map((day) => [day.date, day])) };
    return this.#month;
  }
}

/** The records of a day, as far as it is over; with the hour before it, if that costs no request of its own. */
export async function readDay(day: LocalDay, { now, read }: DayRun): Promise<readonly TimedRecord[]> {
  const end = Math.min(day.end, now + 5 * MINUTE);
  const start = end - (day.start - HOUR) <= MAX_WINDOW ? day.start - HOUR : day.start;
  const records: TimedRecord[] = [];
  for (let from = start; from < end; from += MAX_WINDOW)
    records.push(...(await read({ start: from, end: Math.min(from + MAX_WINDOW, end) })));
  return uniqueInOrder(records);
}

async function lastBefore(time: number, { read }: DayRun): Promise<TimedRecord | undefined> {
  for (const length of [HOUR, MAX_WINDOW]) {
    const records = await read({ start: time - length, end: time });
    const last = records.findLast(({ end }) => end <= time);
    if (last) return last;
  }
  return undefined;
}

async function firstAfter(time: number, { read, now }: DayRun): Promise<TimedRecord | undefined> {
  for (const length of [HOUR, MAX_WINDOW]) {
    const end = Math.min(time + length, now);
    if (end <= time) return undefined;
    const first = (await read({ start: time, end })).find((record) => record.end <= now);
    if (first) return first;
  }
  return undefined;
}

function computed(
  day: LocalDay,
  account: BatteryAccount | undefined,
  records: readonly TimedRecord[],
  { equipment, priority, money }: DayRule,
  { now, partsOf }: DayRun,
): { sums: Sums; parts: Sums[]; account: BatteryAccount | undefined; last: TimedRecord | undefined } {
  const intervals = intervalsOf(records, equipment);
  const tariff = money && { importPrice: money.importPrice, exportPrice: money.exportPrice };
  const trace = traceEnergy(intervals, account, { from: day.start, until: day.end, priority, tariff });
  const newest = records.findLast(({ end }) => end > day.start);
  const until = day.end <= now ? day.end : Math.min(Math.max(newest?.end ?? day.start, day.start), day.end);
  const upTo = (part: Part): Part[] => {
    const end = Math.min(part.end, until);
    if (end <= part.start) return [];
    const share = (end - part.start) / (part.end - part.start);
    return [{ ...part, end, days: part.days * share, months: part.months * share }];
  };
  const [whole = { ...day, end: day.start, days: 0, months: 0 }] = upTo(day);
  return {
    sums: sumsOf(whole, trace.intervals, money),
    parts: (partsOf?.(day) ?? []).flatMap(upTo).map((part) => sumsOf(part, trace.intervals, money)),
    account: trace.account,
    last: records.findLast(({ end }) => end <= day.end),
  };
}

function isOutdated(known: KnownDay, day: LocalDay, rule: DayRule, { now, isByMessage }: DayRun): boolean {
  if (known.rule !== rule.keyOf(day) || known.sums.start !== day.start || known.sums.end !== day.end)
    return true;
  return hasHoles(known.sums) && (isByMessage || now >= known.nextRead);
}

function hasHoles({ missing }: Sums): boolean {
  return missing.length > 0;
}

/** All that the next day needs of a record. */
function countersOf({ record, start, end }: TimedRecord): TimedRecord {
  const { startTime, endTime, grid, solar, storage, consumption } = record;
  return { record: { startTime, endTime, grid, solar, storage, consumption }, start, end };
}

function areEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function uniqueInOrder(records: readonly TimedRecord[]): TimedRecord[] {
  const byStart = new Map(records.map((record) => [record.start, record]));
  return [...byStart.values()].toSorted((one, other) => one.start - other.start);
}
