// Suppresses drops of lifetime counters: three lower records in a row are a reset, one or two are a glitch.
import type { IntervalRecord } from "../models/telemetry";
import { readingsOf } from "../models/readings";

const CONFIRMING_RECORDS = 3;

/** Plain data, stored as JSON. Times in milliseconds. */
interface Counter {
  /** The last accepted value. */
  value: number;
  /** End of the last record checked. */
  end: number;
  /** The latest lower value since then, and how many there have been in a row. */
  doubt?: { value: number; count: number };
}

/** Keyed by GROUP/FIELD. */
export type Counters = Readonly<Record<string, Counter>>;

export interface CheckedCounters {
  counters: Counters;
  /** Counters of the record not to publish, as GROUP/FIELD. */
  suppressed: ReadonlySet<string>;
}

/** Checks the lifetime counters of a record, which only rise (service interface 2.5 semantics 4). */
export function checkCounters(known: Counters, record: IntervalRecord, end: number): CheckedCounters {
  const counters = { ...known };
  const suppressed = new Set<string>();
  for (const { group, field, value } of readingsOf(record)) {
    if (!field.startsWith("lifetime")) continue;
    const name = `${group}/${field}`;
    const { counter, passes } = checkCounter(counters[name], value, end);
    if (counter) counters[name] = counter;
    if (!passes) suppressed.add(name);
  }
  return { counters, suppressed };
}

function checkCounter(
  known: Counter | undefined,
  reading: unknown,
  end: number,
): { counter: Counter | undefined; passes: boolean } {
  if (typeof reading !== "number" || !(reading >= 0)) return { counter: known, passes: false };
  const accepted = { counter: { value: reading, end }, passes: true };
  if (!known) return accepted;
  // A record that is not newer changes nothing.
  if (end <= known.end) return { counter: known, passes: reading === known.value };
  if (reading >= known.value) return accepted;
  const { doubt } = known;
  const count = doubt && reading >= doubt.value ? doubt.count + 1 : 1;
  if (count >= CONFIRMING_RECORDS) return accepted;
  return { counter: { value: known.value, end, doubt: { value: reading, count } }, passes: false };
}
