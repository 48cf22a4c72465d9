// The records of a local day, with those on both sides that its counters need.
import type { EnergyError } from "../errors";
import { TOLERATED_BREAK } from "../ledger/ledger";
import { type TimedRecord, uniqueInOrder } from "../models/telemetry";
import { AHEAD, HOUR, MAX_WINDOW, splitWindow, type TimeWindow } from "../time-units";

export interface DayReader {
  readonly now: number;
  /** The records that overlap a span of at most 24 hours, in order. Rejects with UnreadableSpan if only a part of the past fails. */
  readonly read: (span: TimeWindow) => Promise<readonly TimedRecord[]>;
}

/** Why a part of the past cannot be read, although the service answers for the present. */
export class UnreadableSpan extends Error {
  /**
   * @param records of the rest of the span
   * @param from where the first part begins that cannot be read
   */
  constructor(
    readonly reason: EnergyError,
    readonly records: readonly TimedRecord[] = [],
    readonly from = -Infinity,
  ) {
    super(reason.message);
  }
}

export interface ReadDay {
  readonly records: readonly TimedRecord[];
  /** Why a part of the day cannot be read. */
  readonly failure: EnergyError | undefined;
}

/** 24 hours from so much earlier on overlap with both the record that ends with the day before and the last one of the day. */
const MOMENT = 2 * TOLERATED_BREAK;

/** For one run. */
export class DayRecords {
  readonly #run: DayReader;
  /** What the last search behind a time has found: in an outage of days, the days behind that time need no other. */
  #found: { readonly behind: number; readonly record: TimedRecord | undefined } | undefined;

  constructor(run: DayReader) {
    this.#run = run;
  }

  /**
   * The records of a whole day, as far as it is over, with the one before it: as a rule, in one request. Rejects with UnreadableSpan if
   * no part of the day can be read.
   * @param isAlone whether the day before cannot be read
   */
  async of(day: TimeWindow, isAlone: boolean): Promise<ReadDay> {
    const { now, read } = this.#run;
    const readFrom = async (start: number): Promise<ReadDay> => {
      const end = Math.min(day.end, now + AHEAD) - (day.start - start);
      const records: TimedRecord[] = [];
      let failure: EnergyError | undefined;
      for (const part of splitWindow({ start, end }))
        try {
          records.push(...(await read(part)));
        } catch (error) {
          // Perhaps only what lies before the day cannot be read.
          if (!(error instanceof UnreadableSpan) || error.from < day.start) throw error;
          records.push(...error.records);
          failure ??= error.reason;
        }
      if (failure && records.length === 0) throw new UnreadableSpan(failure);
      return { records: uniqueInOrder(records), failure };
    };
    const all = isAlone ? undefined : await unlessUnreadable(readFrom(day.start - MOMENT));
    return all ?? readFrom(day.start);
  }

  /**
   * With the last record before the day and, if none reaches its end, the first one behind it.
   * @param known the last record before the day; null = there is none that can be read
   */
  async withNeighbors(
    day: TimeWindow,
    known: TimedRecord | null | undefined,
    records: readonly TimedRecord[],
  ): Promise<readonly TimedRecord[]> {
    const { now } = this.#run;
    const ended = records.filter(({ end }) => end <= now);
    // Not one that crosses midnight: what it counted is known from the counters before it.
    const hasBefore = (ended[0]?.end ?? Infinity) <= day.start + TOLERATED_BREAK;
    const before = known !== undefined || hasBefore ? known : await this.#before(day.start);
    const newest = ended.at(-1) ?? before;
    const after = newest && newest.end < day.end ? await this.#after(day.end) : undefined;
    return uniqueInOrder([before, ...ended, after].filter((one) => one !== undefined && one !== null));
  }

  /** Searched for in an hour, else in a day. */
  async #before(time: number): Promise<TimedRecord | undefined> {
    const find = async (length: number): Promise<TimedRecord | undefined> =>
      (await this.#run.read({ start: time - length, end: time })).findLast(({ end }) => end <= time);
    return unlessUnreadable(find(HOUR).then((found) => found ?? find(MAX_WINDOW)));
  }

  /** Searched for in an hour, then day by day: counters know what an outage of days has used. */
  async #after(time: number): Promise<TimedRecord | undefined> {
    const { now, read } = this.#run;
    const { behind = Infinity, record } = this.#found ?? {};
    if (behind <= time && (record?.start ?? Infinity) >= time) return record;
    const find = async (start: number, length: number): Promise<TimedRecord | undefined> => {
      if (start >= now) return undefined;
      const records = await read({ start, end: Math.min(start + length, now) });
      return records.find(({ end }) => end <= now) ?? find(start + length, MAX_WINDOW);
    };
    this.#found = { behind: time, record: await unlessUnreadable(find(time, HOUR)) };
    return this.#found.record;
  }
}

/** A day that cannot be read is not needed for the one beside it. */
async function unlessUnreadable<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof UnreadableSpan) return undefined;
    throw error;
  });
}
