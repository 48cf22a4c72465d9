// The ledger outside of memory, stored or carried in messages: short, because it is written with every record, and checked
// when it is read, because it may be damaged or made up.
import { InputError } from "../errors";
import { MAX_LEDGER_CHARACTERS } from "../limits";
import { objectOf } from "../models/service-object";
import { number, optional, orNull, partOf, text, tupleOf } from "../models/shape";
import { parseServiceTime } from "../models/time";
import type { StateForm } from "../stored-state";
import { lengthOf } from "../time-units";
import { cursorTime, type Delivered, FINGERPRINT_LENGTH, type Gap, type Ledger } from "./ledger";

/** Times in seconds: records of equal length, each at the same distance from the one before; the first of all from knownFrom. */
export type StoredRecords = readonly [distance: number, length: number, countOrHashes: number | string];

/**
 * Times in seconds: distance and nextRequest are from the cursor, noticed is null where an answer is owed, turn is a number of days
 * (null = none yet), and noticedLength is the length of silence when it was noticed.
 */
export type StoredGap = readonly [
  distance: number,
  length: number,
  noticed: number | null,
  nextRequest: number,
  pause: number,
  turn?: number | null,
  noticedLength?: number,
];

/** Plain JSON. Times are in milliseconds; those within lists are in seconds. */
export interface StoredLedger {
  cursor: string;
  knownFrom: number;
  delivered: readonly StoredRecords[];
  gaps: readonly StoredGap[];
  watched: number;
  silentFrom?: number;
}

const [noticed, turn] = [orNull(number), optional(orNull(number))];
/** A negative count would hide a huge one in the sum of all. */
const countOrHashes = (value: unknown): value is string | number =>
  text(value) || (number(value) && value >= 0);

const isStoredLedger = partOf<StoredLedger>({
  cursor: (value: unknown): value is string => parseServiceTime(value) !== undefined,
  knownFrom: number,
  delivered: [tupleOf<StoredRecords>(number, number, countOrHashes)],
  gaps: [tupleOf<StoredGap>(number, number, noticed, number, number, turn, optional(number))],
  watched: number,
  silentFrom: optional(number),
});

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
/** No record that is carried ends earlier or later: longer gaps would cost more than any record in them. */
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

export function storedLedger(ledger: Ledger): StoredLedger {
  const { cursor, knownFrom, delivered, gaps, watched, silentFrom } = ledger;
  return {
    cursor,
    knownFrom,
    delivered: storedDelivered(delivered, knownFrom),
    gaps: storedGaps(gaps, cursorTime(ledger)),
    watched: Math.round(watched),
    ...(silentFrom !== undefined && { silentFrom }),
  };
}

/** The stored ledger, or undefined if it is damaged, or such as no engine notes. */
export function readLedger(stored: unknown): Ledger | undefined {
  if (!isStoredLedger(stored)) return undefined;
  const { cursor, knownFrom, watched, silentFrom } = stored;
  if (stored.delivered.reduce((sum, records) => sum + countOf(records), 0) > MAX_COUNT) return undefined;
  const delivered = readDelivered(stored.delivered, knownFrom);
  const gaps = readGaps(stored.gaps, cursorTime(stored));
  const ledger = { cursor, knownFrom, watched, delivered, gaps, silentFrom };
  return isConsistent(ledger) ? ledger : undefined;
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
  const { series: given, completed } = objectOf(carried);
  if (!ledger || typeof given !== "string") throw new InputError("ledgerUnreadable");
  if (given !== series) throw new InputError("ledgerSeries", { given, series });
  return typeof completed === "number" ? { ...ledger, completed } : ledger;
}

/** Whether the intervals are such as an engine notes them: others could cost any number of requests, or lose records. */
function isConsistent(ledger: Ledger): boolean {
  const { delivered, gaps, knownFrom, silentFrom = EARLIEST } = ledger;
  const cursor = cursorTime(ledger);
  const isGap = ({ start, end, noticedEnd = end }: Gap): boolean =>
    start >= EARLIEST && noticedEnd > start && noticedEnd <= end && end <= LATEST;
  // The service may show a record without length, or one that begins with its calendar.
  const isRecord = ([start, end]: Delivered): boolean => start <= end && end >= EARLIEST && end <= LATEST;
  const isKnown = [EARLIEST, knownFrom, silentFrom].every((time) => time >= EARLIEST && time <= cursor);
  return isKnown && delivered.every(isRecord) && gaps.every(isGap) && lengthOf(gaps) <= LATEST - EARLIEST;
}

function storedDelivered(delivered: readonly Delivered[], from: number): StoredLedger["delivered"] {
  const stretches: { distance: number; length: number; count: number; hashes: string }[] = [];
  let before = from;
  for (const [start, end, hash = ""] of delivered) {
    const [distance, length] = [(start - before) / SECOND, (end - start) / SECOND];
    before = end;
    const last = stretches.at(-1);
    const isAlike = last?.distance === distance && last.length === length;
    if (isAlike && (last.hashes === "") === (hash === "")) {
      last.count += 1;
      last.hashes += hash;
    } else {
      stretches.push({ distance, length, count: 1, hashes: hash });
    }
  }
  return stretches.map(({ distance, length, count, hashes }) => [distance, length, hashes || count]);
}

function countOf([, , records]: StoredRecords): number {
  return typeof records === "string" ? records.length / FINGERPRINT_LENGTH : records;
}

function readDelivered(stored: StoredLedger["delivered"], from: number): Delivered[] {
  const delivered: Delivered[] = [];
  let before = from;
  for (const item of stored) {
    const [distance, length, records] = item;
    for (let index = 0; index < countOf(item); index += 1) {
      const start = before + distance * SECOND;
      before = start + length * SECOND;
      const first = index * FINGERPRINT_LENGTH;
      const hash = typeof records === "string" && records.slice(first, first + FINGERPRINT_LENGTH);
      delivered.push(hash ? [start, before, hash] : [start, before]);
    }
  }
  return delivered;
}

function storedGaps(gaps: readonly Gap[], cursor: number): StoredLedger["gaps"] {
  // Bookkeeping needs no milliseconds.
  const rounded = (time: number): number => Math.round(time / SECOND);
  return gaps.map(({ start, end, noticed, noticedEnd, nextRequest, pause, turn = null }) => {
    const first = [(start - cursor) / SECOND, (end - start) / SECOND] as const;
    const retry = [rounded(nextRequest - cursor), rounded(pause), turn] as const;
    const gap = [...first, noticed === undefined ? null : rounded(noticed), ...retry] as const;
    return noticedEnd === undefined ? gap : [...gap, (noticedEnd - start) / SECOND];
  });
}

function readGaps(stored: StoredLedger["gaps"], cursor: number): Gap[] {
  return stored.map(([distance, length, noticed, nextRequest, pause, turn = 0, noticedLength]) => {
    const start = cursor + distance * SECOND;
    return {
      start,
      end: start + length * SECOND,
      noticed: noticed === null ? undefined : noticed * SECOND,
      nextRequest: cursor + nextRequest * SECOND,
      pause: Math.max(0, pause) * SECOND,
      ...(turn !== null && { turn: Math.max(0, Math.round(turn)) }),
      ...(noticedLength !== undefined && { noticedEnd: start + noticedLength * SECOND }),
    };
  });
}
