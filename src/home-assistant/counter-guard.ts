// Holds back lifetime counters that drop: three lower records in a row are a reset, one or two are a glitch.
import type { IntervalRecord } from "../models/telemetry";
import { readingsOf } from "../models/readings";

const CONFIRMING_RECORDS = 3;

/** Plain data, stored as JSON. */
interface Counter {
  /** The last value that was passed on. */
  value: number;
  /** End of the last record that was judged, in milliseconds. */
  end: number;
  /** The last of the lower values since then, and how many there were in a row. */
  doubt?: { value: number; count: number };
}

/** By GROUP/FIELD. */
export type Counters = Readonly<Record<string, Counter>>;

export interface Judged {
  counters: Counters;
  /** The counters of the record that must not be passed on, as GROUP/FIELD. */
  held: ReadonlySet<string>;
}

/** Lifetime counters only rise (service interface 2.5 semantics 4). `end` of the record in milliseconds. */
export function judgeCounters(known: Counters, record: IntervalRecord, end: number): Judged {
  const counters = { ...known };
  const held = new Set<string>();
  for (const { group, field, value } of readingsOf(record)) {
    if (!field.startsWith("lifetime")) continue;
    const name = `${group}/${field}`;
    const { counter, passes } = judge(counters[name], value, end);
    if (counter) counters[name] = counter;
    if (!passes) held.add(name);
  }
  return { counters, held };
}

function judge(
  known: Counter | undefined,
  reading: unknown,
  end: number,
): { counter: Counter | undefined; passes: boolean } {
  if (typeof reading !== "number" || !(reading >= 0)) return { counter: known, passes: false };
  const accepted = { counter: { value: reading, end }, passes: true };
  if (!known) return accepted;
  // The same record again, or an older one, adds nothing.
  if (end <= known.end) return { counter: known, passes: reading === known.value };
  if (reading >= known.value) return accepted;
  const { doubt } = known;
  const count = doubt && reading >= doubt.value ? doubt.count + 1 : 1;
  if (count >= CONFIRMING_RECORDS) return accepted;
  return { counter: { value: known.value, end, doubt: { value: reading, count } }, passes: false };
}
