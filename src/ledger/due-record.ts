// A record that is to be sent, with all that has to be known of it afterwards: the flow may change the record.
import type { IntervalRecord } from "../models/telemetry";
import type { RecordPhase } from "../decisions/freshness";
import { TimedRecord } from "../models/timed-record";

/** A class for the same reason as TimedRecord. */
export class DueRecord implements TimedRecord {
  readonly record: IntervalRecord;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  /** Its end as the service wrote it. */
  readonly endTime: string;

  constructor(
    timed: TimedRecord,
    readonly phase: RecordPhase,
    /** Where its series stands once it is sent. */
    readonly cursor: string,
    /** What it says, where records are read again. */
    readonly fingerprint?: string,
  ) {
    this.record = timed.record;
    this.start = timed.start;
    this.end = timed.end;
    this.endTime = timed.record.endTime;
  }

  /** For a second receiver: who got the first may change it. */
  copy(): DueRecord {
    const { record, start, end, phase, cursor } = this;
    return new DueRecord(new TimedRecord(structuredClone(record), start, end), phase, cursor);
  }
}
