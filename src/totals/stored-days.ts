// The days of a system that are over, stored so that none is read twice: two kilobytes each.
import { isServiceObject } from "../models/service-object";
import { mapOf, number, oneOf, optional, partOf, readerOf, type Shaped, text } from "../models/shape";
import type { TimedRecord } from "../models/telemetry";
import { byName, mapValues } from "../objects";
import type { StateForm, StateStore } from "../stored-state";
import { isoTime } from "../time-units";
import type { Peaks } from "./balance";
import { rounded } from "./period-money";
import { BATTERY_ACCOUNT } from "./trace";
import { AMOUNT_GROUPS, SUMS, type Sums } from "./sums";

const DAY = {
  /** YYYY-MM-DD. */
  date: text,
  sums: SUMS,
  /** The battery's account before and after the day. */
  before: optional(BATTERY_ACCOUNT),
  after: optional(BATTERY_ACCOUNT),
  /** The last record of the day: the next day goes on from its counters. */
  last: optional(partOf<TimedRecord>({ record: isServiceObject, start: number, end: number })),
  peaks: partOf<Peaks>(mapOf(number)),
  /** What else the numbers depend on: prices, priority, equipment. */
  rule: text,
  revision: number,
  /** When the day was last read, and for how long what it lacks has been retried. */
  readAt: number,
  retried: number,
  /** Whether it was to be computed again, as for other prices, when some of its records could not be read. */
  isOutdated: optional(oneOf([true, false])),
};

/** A local day that is over or, so that the next one goes on from it, has begun. Plain data; times in milliseconds. */
export type KnownDay = Shaped<typeof DAY>;

export type KnownDays = readonly KnownDay[];

export interface DayStores {
  /** Days of one local month, by the first seven characters of their dates; undefined where they last as long as the run. */
  readonly of: (month: string) => StateStore<KnownDays> | undefined;
  /** The first day that is stored, YYYY-MM-DD; earlier ones are read each time. */
  readonly since: string;
  /** The first day of which this run stores what it reads, if not the same: others are read for days after them alone. */
  readonly writtenFrom?: string | undefined;
}

/** How long a write waits for those of other systems, in milliseconds. */
const GATHERING = 50;

/** The days of a system, for one run. */
export class KeptDays {
  readonly #stores: DayStores;
  readonly #now: number;
  /** By date. */
  readonly #days = new Map<string, KnownDay>();
  /** Those that last as long as the run. */
  readonly #passing = new Map<string, KnownDay>();
  #saving: Promise<unknown> = Promise.resolve();

  constructor(stores: DayStores, now: number) {
    this.#stores = stores;
    this.#now = now;
  }

  /** Call this first, with all days that are needed. Rejects with StoreError. */
  async load(days: readonly { readonly date: string }[]): Promise<void> {
    const { of, since } = this.#stores;
    for (const month of new Set(days.map(({ date }) => monthOf(date))))
      for (const day of (await of(month)?.load()) ?? []) if (day.date >= since) this.#days.set(day.date, day);
    // Several if fewer days are kept than before, or none was for a while.
    for (let old = monthBefore(since); await of(old)?.load(); old = monthBefore(old))
      this.#save(old, undefined);
  }

  /** Undefined, too, if it is not over yet: the clock was ahead when it was stored. */
  day(date: string): KnownDay | undefined {
    const known = this.#passing.get(date) ?? this.#days.get(date);
    return known && known.sums.end <= this.#now ? known : undefined;
  }

  keep(day: KnownDay): void {
    // One that is not over yet may have been sent: it keeps its revision.
    if (this.#days.has(day.date) && !this.day(day.date)) return;
    const { since, writtenFrom = since } = this.#stores;
    const isStored = day.date >= since && day.date >= writtenFrom;
    (isStored ? this.#days : this.#passing).set(day.date, day);
    if (!isStored) return;
    const month = monthOf(day.date);
    const days = [...this.#days.values()].filter(({ date }) => date.startsWith(month));
    this.#save(month, days);
  }

  /** Resolves once all days survive a crash. Rejects with StoreError. */
  async saved(): Promise<void> {
    await this.#saving;
  }

  #save(month: string, days: KnownDays | undefined): void {
    this.#saving = Promise.all([this.#saving, this.#stores.of(month)?.save(days, GATHERING)]);
    // A failure is reported by `saved`.
    this.#saving.catch(() => undefined);
  }
}

function monthOf(date: string): string {
  return date.slice(0, 7);
}

/** @param date or month */
function monthBefore(date: string): string {
  return monthOf(isoTime(Date.parse(monthOf(date)) - 1));
}

/** Fields of a group that the next day needs. */
const NEEDED = /^lifetime|^(?:remainingEnergy|stateOfCharge|totalEnergy)$/;

export const KNOWN_DAYS_FORM: StateForm<KnownDays> = { read: readerOf([DAY]) };

/** All that the next day needs of a record: times, counters, and what the battery holds. */
export function countersOf({ record, start, end }: TimedRecord): TimedRecord {
  const { startTime, endTime, ...groups } = record;
  const counters = Object.entries(groups).flatMap(([name, group]) =>
    isServiceObject(group)
      ? [[name, Object.fromEntries(Object.entries(group).filter(([field]) => NEEDED.test(field)))]]
      : [],
  );
  return { record: { startTime, endTime, ...Object.fromEntries(counters) }, start, end };
}

/** Sums as they are stored, so that a day has the same numbers when it comes again. */
export function storable({ amounts, ...sums }: Sums): Sums {
  return { ...sums, amounts: byName(AMOUNT_GROUPS, (group) => mapValues(amounts[group], rounded)) };
}
