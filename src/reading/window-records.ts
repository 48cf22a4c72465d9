// What has been read of a window: its records, what of it cannot be read, and where there is no answer; and how parts become one.
import type { EnergyError } from "../errors";
import type { RecordAnswer, UnreadableItem } from "../models/responses";
import { type TimedRecord, uniqueInOrder } from "../models/telemetry";
import { joinedWindows, type TimeWindow } from "../time-units";

/** A window without an answer, and why, although the service answers for the present. */
export interface MissingWindow extends TimeWindow {
  readonly error: EnergyError;
}

export interface WindowRecords {
  readonly window: TimeWindow;
  /** Sorted and deduplicated. */
  readonly records: readonly TimedRecord[];
  readonly unreadable: readonly UnreadableItem[];
  /** In order; those that touch are one. */
  readonly missing: readonly MissingWindow[];
}

export function answered(window: TimeWindow, { records, unreadable }: RecordAnswer): WindowRecords {
  return { window, records, unreadable, missing: [] };
}

export function failed({ start, end }: TimeWindow, error: EnergyError): WindowRecords {
  return { window: { start, end }, records: [], unreadable: [], missing: [{ start, end, error }] };
}

/** Throws why none could be read, which is not the same as that there is none. */
export function recordsOf({ records, missing: [failing] }: WindowRecords): readonly TimedRecord[] {
  if (records.length === 0 && failing) throw failing.error;
  return records;
}

/** Several windows as one, in order; missing ones that touch are one. */
export function merged(parts: readonly WindowRecords[]): WindowRecords {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const start = Math.min(...parts.map(({ window }) => window.start));
  const end = Math.max(...parts.map(({ window }) => window.end));
  const missing = joinedWindows(parts.flatMap((part) => part.missing));
  const records = uniqueInOrder(parts.flatMap((part) => part.records));
  const unreadable = parts.flatMap((part) => part.unreadable);
  return { window: { start, end }, records, unreadable, missing };
}

/** Whether there is no answer for any part of a window. */
export function isMissing({ window, missing: [first] }: WindowRecords): boolean {
  return first !== undefined && first.start <= window.start && first.end >= window.end;
}
