// The ledger outside of memory, stored or carried in messages: short, because it is written with every record, and checked
// when it is read, because it may be damaged or made up.
import { InputError } from "../errors";
import { MAX_LEDGER_CHARACTERS } from "../limits";
import { isServiceObject } from "../models/service-object";
import { parseServiceTime } from "../models/time";
import type { StateForm } from "../stored-state";
import { cursorTime, type Delivered, FINGERPRINT_LENGTH, type Gap, type Ledger } from "./ledger";
import type { TimeWindow } from "../time-units";

/** Plain JSON. Times are in milliseconds; those within lists are in seconds. */
export interface StoredLedger {
  cursor: string;
  knownFrom: number;
  /**
   * `[distance, length, count or fingerprints, break?]`: records of equal length, with equal breaks between them; the distance is
   * from the item before, or from knownFrom.
   */
  delivered: (readonly (number | string)[])[];
  /**
   * `[distance, length, noticed, nextRequest, pause, turn?, noticedLength?]`: distance and nextRequest are from the cursor, noticed
   * is null where an answer is owed, turn is a number of days (null = none yet), and noticedLength is the length of silence when
   * it was noticed.
   */
  gaps: (readonly (number | null)[])[];
  watched: number;
  silentFrom?: number;
}

/** Plain JSON, about 200 characters as a rule. Pass it on unchanged. */
export interface CarriedLedger extends StoredLedger {
  /** The series that it belongs to: `siteId/systemId/source`, each part percent-encoded. */
  series: string;
  /** When the last complete run ended, in milliseconds; absent before the end of a run. */
  completed?: number;
}

const SECOND = 1000;
/** Records in all; more than a week of minutes must be an error. */
const MAX_COUNT = 7 * 24 * 60;
/** No record that is carried is older or newer: longer gaps would cost more than any record in them. */
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

export function storedLedger(ledger: Ledger): StoredLedger {
  const { cursor, knownFrom, delivered, gaps, watched, silentFrom } = ledger;
  return {
    cursor,
    knownFrom,
    delivered: storedDelivered(delivered, knownFrom),
    gaps: storedGaps(gaps, parseServiceTime(cursor) ?? 0),
    watched: Math.round(watched),
    ...(silentFrom !== undefined && { silentFrom }),
  };
}

/** The stored ledger, or undefined if it is damaged, or such as no engine notes. */
export function readLedger(stored: unknown): Ledger | undefined {
  if (!isServiceObject(stored)) return undefined;
  const { cursor, knownFrom, delivered, gaps, watched, silentFrom } = stored;
  const time = parseServiceTime(cursor);
  if (typeof cursor !== "string" || time === undefined) return undefined;
  try {
    const ledger = {
      cursor,
      knownFrom: numberOf(knownFrom),
      watched: numberOf(watched),
      delivered: readDelivered(listOf(delivered), numberOf(knownFrom)),
      gaps: readGaps(listOf(gaps), time),
      silentFrom: silentFrom === undefined ? undefined : numberOf(silentFrom),
    };
    return isPlausible(ledger) ? ledger : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export const LEDGER_FORM: StateForm<Ledger> = { read: readLedger, toStored: storedLedger };

export function carriedLedger(ledger: Ledger, series: string): CarriedLedger {
  const { completed } = ledger;
  return { series, ...storedLedger(ledger), ...(completed !== undefined && { completed }) };
}

/**
 * The ledger of a series that came with a message. Throws InputError for anything else.
 * @param carried plain data
 */
export function readCarriedLedger(carried: unknown, series: string): Ledger {
  const isShort = JSON.stringify(carried).length <= MAX_LEDGER_CHARACTERS;
  const ledger = isShort ? readLedger(carried) : undefined;
  const { series: given, completed } = isServiceObject(carried) ? carried : {};
  if (!ledger || typeof given !== "string") throw new InputError("ledgerUnreadable");
  if (given !== series) throw new InputError("ledgerSeries", { given, series });
  return typeof completed === "number" ? { ...ledger, completed } : ledger;
}

/** Whether the intervals are such as an engine notes them: others could cost any number of requests, or lose records. */
function isPlausible(ledger: Ledger): boolean {
  const { delivered, gaps, knownFrom, silentFrom = EARLIEST } = ledger;
  const cursor = cursorTime(ledger);
  const intervals: TimeWindow[] = [...gaps, ...delivered.map(([start, end]) => ({ start, end }))];
  const isInterval = ({ start, end }: TimeWindow): boolean =>
    start >= EARLIEST && start < end && end <= LATEST;
  const isGap = ({ start, end, noticedEnd = end }: Gap): boolean => noticedEnd > start && noticedEnd <= end;
  const missing = gaps.reduce((sum, { start, end }) => sum + end - start, 0);
  const isKnown = [EARLIEST, knownFrom, silentFrom].every((time) => time >= EARLIEST && time <= cursor);
  return isKnown && intervals.every(isInterval) && gaps.every(isGap) && missing <= LATEST - EARLIEST;
}

function storedDelivered(delivered: readonly Delivered[], from: number): StoredLedger["delivered"] {
  const stretches: { distance: number; length: number; count: number; pause: number; hashes: string }[] = [];
  let before = from;
  for (const [start, end, hash = ""] of delivered) {
    const [distance, length] = [(start - before) / SECOND, (end - start) / SECOND];
    before = end;
    const last = stretches.at(-1);
    const isAlike = last?.length === length && (last.hashes === "") === (hash === "");
    if (last && isAlike && (last.count === 1 || last.pause === distance)) {
      last.count += 1;
      last.pause = distance;
      last.hashes += hash;
    } else {
      stretches.push({ distance, length, count: 1, pause: 0, hashes: hash });
    }
  }
  return stretches.map(({ distance, length, count, pause, hashes }) => {
    return [distance, length, hashes || count, ...(pause === 0 ? [] : [pause])];
  });
}

function readDelivered(stored: readonly unknown[], from: number): Delivered[] {
  const delivered: Delivered[] = [];
  let before = from;
  for (const item of stored) {
    const [distance, length, records, pause = 0] = listOf(item);
    const isHashed = typeof records === "string";
    const count = isHashed ? records.length / FINGERPRINT_LENGTH : numberOf(records);
    if (delivered.length + count > MAX_COUNT) throw new RangeError("too many records");
    for (let index = 0; index < count; index += 1) {
      const start = before + numberOf(index === 0 ? distance : pause) * SECOND;
      before = start + numberOf(length) * SECOND;
      const first = index * FINGERPRINT_LENGTH;
      delivered.push(
        isHashed ? [start, before, records.slice(first, first + FINGERPRINT_LENGTH)] : [start, before],
      );
    }
  }
  return delivered;
}

function storedGaps(gaps: readonly Gap[], cursor: number): StoredLedger["gaps"] {
  // Bookkeeping needs no milliseconds.
  const rounded = (time: number): number => Math.round(time / SECOND);
  return gaps.map(({ start, end, noticed, noticedEnd, nextRequest, pause, turn = null }) => [
    (start - cursor) / SECOND,
    (end - start) / SECOND,
    noticed === undefined ? null : rounded(noticed),
    rounded(nextRequest - cursor),
    rounded(pause),
    ...(turn === 0 && noticedEnd === undefined ? [] : [turn]),
    ...(noticedEnd === undefined ? [] : [(noticedEnd - start) / SECOND]),
  ]);
}

function readGaps(stored: readonly unknown[], cursor: number): Gap[] {
  return stored.map((item) => {
    const [distance, length, noticed, nextRequest, pause, turn = 0, noticedLength] = listOf(item);
    const start = cursor + numberOf(distance) * SECOND;
    return {
      start,
      end: start + numberOf(length) * SECOND,
      noticed: noticed === null ? undefined : numberOf(noticed) * SECOND,
      nextRequest: cursor + numberOf(nextRequest) * SECOND,
      pause: Math.max(0, numberOf(pause)) * SECOND,
      ...(turn !== null && { turn: Math.max(0, Math.round(numberOf(turn))) }),
      ...(noticedLength !== undefined && { noticedEnd: start + numberOf(noticedLength) * SECOND }),
    };
  });
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new RangeError("not a list");
  return value as unknown[];
}

function numberOf(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new RangeError("not a number");
  return value;
}
