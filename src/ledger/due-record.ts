// A record to send, with everything needed about it afterwards, because the flow may change the record.
import type { IntervalRecord } from "../models/telemetry";
import { isFresh, type RecordPhase } from "../decisions/freshness";
import { TimedRecord } from "../models/timed-record";

/** A class for the same reason as TimedRecord. Times in milliseconds since the epoch. */
export class DueRecord implements TimedRecord {
  readonly record: IntervalRecord;
  readonly start: number;
  readonly end: number;

  constructor(
    timed: TimedRecord,
    readonly phase: RecordPhase,
    /** The cursor of its series once it is sent. */
    readonly cursor: string,
    /** Hash of its content, where records are re-read for corrections. */
    readonly fingerprint?: string,
  ) {
    this.record = timed.record;
    this.start = timed.start;
    this.end = timed.end;
  }

  /** As it is sent now: a live record that is no longer fresh is `catchup`. */
  at(now: number, maxAgeMinutes: number): DueRecord {
    if (this.phase !== "live" || isFresh(this.end, now, maxAgeMinutes)) return this;
    return new DueRecord(this, "catchup", this.cursor, this.fingerprint);
  }

  /** For a second receiver, because the first may change its record. */
  copy(): DueRecord {
    const { record, start, end, phase, cursor } = this;
    return new DueRecord(new TimedRecord(structuredClone(record), start, end), phase, cursor);
  }
}

/** The records of each message: all in one, or one in each. */
export function grouped(due: readonly DueRecord[], isBatch: boolean): (readonly DueRecord[])[] {
  if (!isBatch) return due.map((record) => [record]);
  return due.length > 0 ? [due] : [];
}
