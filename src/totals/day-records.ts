// The records of a local day, with those on both sides that its counters need.
import type { EnergyError } from "../errors";
import { AHEAD } from "../ledger/ledger";
import { MAX_WINDOW, splitWindow } from "../ledger/window";
import { type TimedRecord, uniqueInOrder } from "../models/telemetry";
import { HOUR } from "../time-units";
import { TOLERATED_BREAK } from "./balance";
import type { Span } from "./period";

export interface DayReader {
  readonly now: number;
  /** The records that overlap a span of at most 24 hours, in order. Rejects with UnreadableSpan if only a part of the past fails. */
  readonly read: (span: Span) => Promise<readonly TimedRecord[]>;
}

/** Why a part of the past cannot be read, although the service answers for the present. */
export class UnreadableSpan extends Error {
  constructor(readonly reason: EnergyError) {
    super(reason.message);
  }
}

/** The records of a whole day, as far as it is over, with the one before it: as a rule, in one request. */
export async function readDay(day: Span, { now, read }: DayReader): Promise<readonly TimedRecord[]> {
  const end = Math.min(day.end, now + AHEAD);
  const isShort = end - (day.start - HOUR) <= MAX_WINDOW;
  // 24 hours from a moment earlier on overlap with both the record that ends with the day before and the last one of this day.
  const start = day.start - (isShort ? HOUR : 1);
  const isMomentLonger = end - start === MAX_WINDOW + 1;
  const readFrom = async (window: Span): Promise<readonly TimedRecord[]> => {
    const records: TimedRecord[] = [];
    for (const part of splitWindow(window)) records.push(...(await read(part)));
    return uniqueInOrder(records);
  };
  // Perhaps only what lies before the day cannot be read.
  return (
    (await unlessUnreadable(readFrom({ start, end: isMomentLonger ? end - 1 : end }))) ??
    readFrom({ start: day.start, end })
  );
}

/** With the last record before the day and, after a hole at its end, the first one behind it. */
export async function withNeighbors(
  day: Span,
  known: TimedRecord | undefined,
  records: readonly TimedRecord[],
  { now, read }: DayReader,
): Promise<readonly TimedRecord[]> {
  const ended = records.filter(({ end }) => end <= now);
  const [first, newest] = [ended[0], ended.at(-1)];
  const hasBefore = first !== undefined && first.start <= day.start - TOLERATED_BREAK;
  const before =
    known ??
    (hasBefore
      ? undefined
      : await nearest(async (length) =>
          (await read({ start: day.start - length, end: day.start })).findLast(({ end }) => end <= day.start),
        ));
  const isOpen = newest !== undefined && day.end < now && newest.end < day.end - TOLERATED_BREAK;
  const after = isOpen
    ? await nearest(async (length) =>
        (await read({ start: day.end, end: Math.min(day.end + length, now) })).find(({ end }) => end <= now),
      )
    : undefined;
  return uniqueInOrder([...(before ? [before] : []), ...ended, ...(after ? [after] : [])]);
}

/** In an hour, else in a day; a day that cannot be read is not needed for the one beside it. */
async function nearest(
  find: (length: number) => Promise<TimedRecord | undefined>,
): Promise<TimedRecord | undefined> {
  return unlessUnreadable(find(HOUR).then((found) => found ?? find(MAX_WINDOW)));
}

async function unlessUnreadable<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof UnreadableSpan) return undefined;
    throw error;
  });
}
