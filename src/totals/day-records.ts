// The records of a local day, with those on both sides that its counters need.
import type { EnergyError } from "../errors";
import { AHEAD } from "../ledger/ledger";
import { type TimedRecord, uniqueInOrder } from "../models/telemetry";
import { HOUR, MAX_WINDOW, splitWindow } from "../time-units";
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

/** 24 hours from so much earlier on overlap with both the record that ends with the day before and the last one of the day. */
const MOMENT = 2 * TOLERATED_BREAK;

/**
 * The records of a whole day, as far as it is over, with the one before it: as a rule, in one request.
 * @param isAlone whether the day before cannot be read
 */
export async function readDay(
  day: Span,
  { now, read }: DayReader,
  isAlone: boolean,
): Promise<readonly TimedRecord[]> {
  const readFrom = async (start: number): Promise<readonly TimedRecord[]> => {
    const end = Math.min(day.end, now + AHEAD) - (day.start - start);
    const records: TimedRecord[] = [];
    for (const part of splitWindow({ start, end })) records.push(...(await read(part)));
    return uniqueInOrder(records);
  };
  // Perhaps only what lies before the day cannot be read.
  const records = isAlone ? undefined : await unlessUnreadable(readFrom(day.start - MOMENT));
  return records ?? readFrom(day.start);
}

/**
 * With the last record before the day and, if none reaches its end, the first one behind it.
 * @param known the last record before the day; null = there is none that can be read
 */
export async function withNeighbors(
  day: Span,
  known: TimedRecord | null | undefined,
  records: readonly TimedRecord[],
  { now, read }: DayReader,
): Promise<readonly TimedRecord[]> {
  const ended = records.filter(({ end }) => end <= now);
  const [first, newest] = [ended[0], ended.at(-1)];
  // Not one that crosses midnight: what it counted is known from the counters before it.
  const hasBefore = first !== undefined && first.end <= day.start + TOLERATED_BREAK;
  const before =
    known !== undefined || hasBefore
      ? known
      : await nearest(async (length) =>
          (await read({ start: day.start - length, end: day.start })).findLast(({ end }) => end <= day.start),
        );
  const isOpen = newest !== undefined && day.end < now && newest.end < day.end;
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
