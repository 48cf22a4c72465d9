// A record to send, with everything needed about it afterwards, because the flow may change the record.
import { isFresh, type RecordPhase } from "../decisions/freshness";
import type { TimedRecord } from "../models/telemetry";

/** Times in milliseconds since the epoch. */
export interface DueRecord extends TimedRecord {
  readonly phase: RecordPhase;
  /** The cursor of its series once it is sent. */
  readonly cursor: string;
  /** Hash of its content, where records are re-read for corrections. */
  readonly fingerprint?: string;
}

export function dueRecord(
  { record, start, end }: TimedRecord,
  phase: RecordPhase,
  cursor: string,
  fingerprint?: string,
): DueRecord {
  return { record, start, end, phase, cursor, ...(fingerprint !== undefined && { fingerprint }) };
}

/** The records as they are sent now: a live record that is no longer fresh is `catchup`. */
export function asOf(due: readonly DueRecord[], now: number, maxAgeMinutes: number): DueRecord[] {
  return due.map((record) =>
    record.phase === "live" && !isFresh(record.end, now, maxAgeMinutes)
      ? { ...record, phase: "catchup" }
      : record,
  );
}

/** The records of each message: all in one, or one in each. */
export function grouped(due: readonly DueRecord[], isBatch: boolean): (readonly DueRecord[])[] {
  if (!isBatch) return due.map((record) => [record]);
  return due.length > 0 ? [due] : [];
}
