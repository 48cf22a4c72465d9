// A record that is to be sent.
import type { IntervalRecord } from "../models/telemetry";
import type { Basis } from "./basis";
import type { RecordPhase } from "./freshness";
import type { TimedRecord } from "./timed-record";

/** A record that is to be sent, and where its series stands once it is. A class for the same reason as TimedRecord. */
export class DueRecord implements TimedRecord {
  readonly record: IntervalRecord;
  readonly start: number;
  readonly end: number;

  constructor(
    timed: TimedRecord,
    readonly phase: RecordPhase,
    readonly cursor: string,
    /** AC or DC of each group, where it is known. */
    readonly basis?: Readonly<Record<string, Basis>>,
  ) {
    this.record = timed.record;
    this.start = timed.start;
    this.end = timed.end;
  }
}
