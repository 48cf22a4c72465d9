// The records of a local day, with those on both sides that its counters need.
import type { EnergyError } from "../errors";
import { TOLERATED_BREAK } from "../ledger/ledger";
import { type TimedRecord, uniqueInOrder } from "../models/telemetry";
import { merged, type WindowRecords } from "../reading/window-records";
import { AHEAD, HOUR, MAX_WINDOW, splitWindow, type TimeWindow } from "../time-units";

export interface DayReader {
  readonly now: number;
  /** Reads a span of at most 24 hours: what of the past cannot be read is missing. Rejects if the present cannot be read, either. */
  readonly read: (span: TimeWindow) => Promise<WindowRecords>;
}

/** Why no part of a day can be read, although the service answers for the present. */
export class UnreadableDay extends Error {
  constructor(readonly reason: EnergyError) {
    super(reason.message);
  }
}

/** 24 hours from so much earlier on overlap with both the record that ends with the day before and the last one of the day. */
const MOMENT = 2 * TOLERATED_BREAK;

/** For one run. */
export class DayRecords {
  readonly #run: DayReader;
  /** What the last search behind a time has found: in an outage of days, those that end by `until` need no other. */
  #found: Readonly<{ behind: number; until: number; record: TimedRecord | undefined }> | undefined;

  constructor(run: DayReader) {
    this.#run = run;
  }

  /**
   * The records of a whole day, as far as it is over, with the one before it: as a rule, in one request. Rejects with UnreadableDay.
   * @param isAlone whether the day before cannot be read
   */
  async of(day: TimeWindow, isAlone: boolean): Promise<WindowRecords> {
    const { now, read } = this.#run;
    const readFrom = async (start: number): Promise<WindowRecords> => {
      const span = { start, end: Math.min(day.end, now + AHEAD) - (day.start - start) };
      const parts: WindowRecords[] = [];
      for (const part of splitWindow(span)) parts.push(await read(part));
      return merged(parts);
    };
    const all = isAlone ? undefined : await readFrom(day.start - MOMENT);
    // Perhaps only what lies before the day cannot be read.
    const isRead = all?.missing.every(({ start }) => start >= day.start);
    const own = all && isRead ? all : await readFrom(day.start);
    const [failing] = own.missing;
    if (failing && own.records.length === 0) throw new UnreadableDay(failing.error);
    return own;
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

  /** Searched for in an hour, else in a day. What cannot be read is not needed for the day beside it. */
  async #before(time: number): Promise<TimedRecord | undefined> {
    for (const length of [HOUR, MAX_WINDOW]) {
      const { records, missing } = await this.#run.read({ start: time - length, end: time });
      if (missing.length > 0) break;
      const found = records.findLast(({ end }) => end <= time);
      if (found) return found;
    }
    return undefined;
  }

  /** Searched for in an hour, then day by day: counters know what an outage of days has used. */
  async #after(time: number): Promise<TimedRecord | undefined> {
    const { now, read } = this.#run;
    const last = this.#found;
    if (last && last.behind <= time && last.until >= time) return last.record;
    let found: TimedRecord | undefined;
    let until = Infinity;
    let end = time;
    for (let length = HOUR; until === Infinity && end < now; length = MAX_WINDOW) {
      const start = end;
      end = Math.min(start + length, now);
      const { records, missing } = await read({ start, end });
      if (missing.length === 0) found = records.find((one) => one.end <= now);
      until = found?.start ?? (missing.length > 0 ? start : Infinity);
    }
    this.#found = { behind: time, until, record: found };
    return found;
  }
}
