// The days of one system: read once, computed in order from the battery's account of the day before, and kept.
import { HOUR, MINUTE } from "../time-units";
import { isServiceObject, type ServiceObject } from "../models/service-object";
import type { TimedRecord } from "../models/telemetry";
import type { StateStore } from "../stored-state";
import { type Equipment, intervalsOf, type Peaks } from "./balance";
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
  /** Whether prices belong to times, so that another key of a day is a correction. */
  readonly hasDatedPrices: boolean;
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
const GATHERING = 50;
/** Records end late or early by less than this. */
const TOLERANCE = 2000;

/** Fields of a group. */
const NEEDED = /^lifetime|^(?:remainingEnergy|stateOfCharge|totalEnergy)$/;

/** What a day begins with. */
interface Beginning {
  account: BatteryAccount | undefined;
  last: TimedRecord | undefined;
  peaks: Peaks;
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
  #saving: Promise<unknown> = Promise.resolve();

  constructor(storeOf: MonthStore) {
    this.#storeOf = storeOf;
  }

  /** What the day after one that was read to its end begins with; undefined if it was not. */
  async beginning(day: LocalDay): Promise<Beginning | undefined> {
    const known = await this.#known(day);
    return known && isOver(known, day) ? { ...known, account: known.after } : undefined;
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
    return run.partsOf !== undefined || known === undefined || isOutdated(known, day, rule, run);
  }

  /** Whether a schedule reads a day again that it does not ask for: it has holes, or its prices were corrected. */
  async isDue(day: LocalDay, rule: DayRule, now: number): Promise<boolean> {
    const known = await this.#known(day);
    if (!known || !isOver(known, day)) return false;
    return (
      (hasHoles(known) && now >= known.nextRead) || (rule.hasDatedPrices && known.rule !== rule.keyOf(day))
    );
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
      return { totals, next: { ...known, account: known.after } };
    }
    const all = await this.#around(day, begin?.last, records ?? (await readDay(day, run)), run);
    const { sums, parts, next } = computed(day, begin, all, rule, run);
    const finished = known && isOver(known, day) ? known : undefined;
    const isRevised = finished !== undefined && !areSame(finished.sums, sums);
    const revision = (finished?.revision ?? 1) + Number(isRevised);
    // A day that has begun is kept once, so that the next one knows where to go on.
    if (day.days === 1 && (day.end <= run.now || !known)) {
      const pause = finished && !isRevised ? Math.min(finished.pause * 2, MAX_PAUSE) : FIRST_PAUSE;
      const readAt = finished?.readAt ?? run.now;
      const nextRead = run.now - readAt > HOLE_HORIZON ? Number.MAX_SAFE_INTEGER : run.now + pause;
      month.days.set(day.date, {
        date: day.date,
        sums,
        before: begin?.account,
        after: next.account,
        last: next.last && countersOf(next.last),
        peaks: next.peaks,
        rule: rule.keyOf(day),
        revision,
        readAt,
        nextRead,
        pause,
      });
      this.#saving = Promise.all([this.#saving, month.store?.save([...month.days.values()], GATHERING)]);
      // Whoever waits for it is told.
      this.#saving.catch(() => undefined);
    }
    return { totals: { day, sums, parts, revision, isRevised }, next };
  }

  /** Resolves once all days survive a crash. Rejects with StoreError. */
  async saved(): Promise<void> {
    await this.#saving;
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

  async #known({ date }: LocalDay): Promise<KnownDay | undefined> {
    return (await this.#monthOf(date)).days.get(date);
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
  begin: Beginning | undefined,
  records: readonly TimedRecord[],
  { equipment, priority, money }: DayRule,
  { now, partsOf }: DayRun,
): { sums: Sums; parts: Sums[]; next: Beginning } {
  const peaks = new Map(begin?.peaks);
  const intervals = intervalsOf(records, equipment, peaks);
  const tariff = money && { importPrice: money.importPrice, exportPrice: money.exportPrice };
  const trace = traceEnergy(intervals, begin?.account, { from: day.start, until: day.end, priority, tariff });
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
    next: { account: trace.account, last: records.findLast(({ end }) => end <= day.end), peaks },
  };
}

function isOver({ sums }: KnownDay, { start, end }: LocalDay): boolean {
  return sums.start === start && sums.end === end;
}

function isOutdated(known: KnownDay, day: LocalDay, rule: DayRule, { now, isByMessage }: DayRun): boolean {
  if (known.rule !== rule.keyOf(day) || !isOver(known, day)) return true;
  return hasHoles(known) && (isByMessage || now >= known.nextRead);
}

function hasHoles({ sums: { missing } }: KnownDay): boolean {
  return missing.length > 0;
}

/** All that the next day needs of a record: counters, and what the battery holds. */
function countersOf({ record, start, end }: TimedRecord): TimedRecord {
  const { startTime, endTime, grid, solar, storage, consumption } = record;
  const needed = (group: unknown): ServiceObject | null => {
    if (!isServiceObject(group)) return null;
    return Object.fromEntries(Object.entries(group).filter(([name]) => NEEDED.test(name)));
  };
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

function uniqueInOrder(records: readonly TimedRecord[]): TimedRecord[] {
  const byStart = new Map(records.map((record) => [record.start, record]));
  return [...byStart.values()].toSorted((one, other) => one.start - other.start);
}
