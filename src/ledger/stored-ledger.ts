// The stored form of a ledger: short, because it is written with every record, and checked when read, as it may be damaged.
import { isServiceObject } from "../models/service-object";
import { parseServiceTime } from "../models/time";
import type { StateStore } from "../stored-state";
import type { Gap } from "./gaps";
import type { Delivered, Ledger } from "./ledger";

/**
 * Plain JSON. Times within lists are relative to the end of the item before, the first to the epoch; all in milliseconds.
 * - delivered: `[start, length, fingerprint?]`, or `[start, length, count]` for records of equal length without a break
 * - gaps: `[start, length, noticed, nextAsk, pause, follows?]`, with nextAsk relative to the cursor, and follows as the
 *   distance back from the start
 */
export interface StoredLedger {
  cursor: string;
  knownFrom: number;
  delivered: (readonly (number | string)[])[];
  gaps: (readonly number[])[];
  watched: number;
}

/** No more records than this are equal and in a row: a week of minutes. */
const MAX_COUNT = 7 * 24 * 60;

/** Nothing needs bookkeeping times to the millisecond. */
const SECOND = 1000;

export function storedLedger({ cursor, knownFrom, delivered, gaps, watched }: Ledger): StoredLedger {
  return {
    cursor,
    knownFrom,
    delivered: storedDelivered(delivered),
    gaps: storedGaps(gaps, parseServiceTime(cursor) ?? 0),
    watched: Math.round(watched),
  };
}

/** A store for ledgers, on one for their stored form. */
export function ledgerStore(store: StateStore<StoredLedger>): StateStore<Ledger> {
  return {
    load: async () => readLedger(await store.load()),
    save: (ledger) => store.save(storedLedger(ledger)),
  };
}

/** What is stored, if it is a ledger. */
export function readStoredLedger(stored: unknown): StoredLedger | undefined {
  const ledger = readLedger(stored);
  return ledger && storedLedger(ledger);
}

/** The stored ledger, or undefined if it is not valid. */
export function readLedger(stored: unknown): Ledger | undefined {
  if (!isServiceObject(stored)) return undefined;
  const { cursor, knownFrom, delivered, gaps, watched } = stored;
  const time = parseServiceTime(cursor);
  if (typeof cursor !== "string" || time === undefined || !isTime(knownFrom) || !isTime(watched))
    return undefined;
  const read = { delivered: readDelivered(delivered), gaps: readGaps(gaps, time) };
  if (!read.delivered || !read.gaps) return undefined;
  return { cursor, knownFrom, watched, delivered: read.delivered, gaps: read.gaps };
}

function storedDelivered(delivered: readonly Delivered[]): StoredLedger["delivered"] {
  const runs: (number | string)[][] = [];
  let before = 0;
  for (const [start, end, fingerprint] of delivered) {
    const last = runs.at(-1);
    const [, length, count = 1] = last ?? [];
    if (
      last &&
      fingerprint === undefined &&
      typeof count === "number" &&
      start === before &&
      end - start === length
    )
      last[2] = count + 1;
    else
      runs.push(
        fingerprint === undefined
          ? [start - before, end - start]
          : [start - before, end - start, fingerprint],
      );
    before = end;
  }
  return runs;
}

function readDelivered(stored: unknown): Delivered[] | undefined {
  const delivered: Delivered[] = [];
  let before = 0;
  for (const item of listOf(stored) ?? [undefined]) {
    const [gap, length, more = 1] = listOf(item) ?? [];
    const isKnown = typeof more === "string" || (isTime(more) && more <= MAX_COUNT);
    if (!isTime(gap) || !isTime(length) || !isKnown) return undefined;
    for (let count = 0; count < (typeof more === "string" ? 1 : more); count += 1) {
      const start = before + (count === 0 ? gap : 0);
      before = start + length;
      delivered.push(typeof more === "string" ? [start, before, more] : [start, before]);
    }
  }
  return delivered;
}

function storedGaps(gaps: readonly Gap[], cursor: number): StoredLedger["gaps"] {
  let before = 0;
  return gaps.map(({ start, end, noticed, nextAsk, pause, follows }) => {
    const times = [start - before, end - start];
    const bookkeeping = [noticed, nextAsk - cursor, pause].map((time) => Math.round(time / SECOND));
    before = end;
    return [...times, ...bookkeeping, ...(follows === undefined ? [] : [start - follows])];
  });
}

function readGaps(stored: unknown, cursor: number): Gap[] | undefined {
  const gaps: Gap[] = [];
  let before = 0;
  for (const item of listOf(stored) ?? [undefined]) {
    const numbers = (listOf(item) ?? []).filter(isTime);
    const [distance, length, noticed, nextAsk, pause, back] = numbers;
    if (distance === undefined || length === undefined || noticed === undefined) return undefined;
    if (nextAsk === undefined || pause === undefined) return undefined;
    const start = before + distance;
    before = start + length;
    gaps.push({
      start,
      end: before,
      noticed: noticed * SECOND,
      nextAsk: cursor + nextAsk * SECOND,
      pause: pause * SECOND,
      ...(back !== undefined && { follows: start - back }),
    });
  }
  return gaps;
}

function listOf(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? (value as unknown[]) : undefined;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
