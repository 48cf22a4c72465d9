// Holds back lifetime counters that drop: three records in a row make a reset, one or two are a glitch.
import type { IntervalRecord } from "../models/telemetry";
import { readingsOf } from "../mqtt/readings";

const CONFIRMING_RECORDS = 3;

/** Plain data: it is stored as JSON. */
interface Counter {
  /** What was passed on last. */
  value: number;
  /** End of the last record that was judged, in milliseconds. */
  end: number;
  /** Lower values since then, and how many in a row. */
  doubt?: { value: number; count: number };
}

/** By GROUP/FIELD. */
export type Counters = Readonly<Record<string, Counter>>;

export interface Judged {
  counters: Counters;
  /** The counters of the record that are not to be passed on, as GROUP/FIELD. */
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
  // The same record once more, or an older one, says nothing new.
  if (end <= known.end) return { counter: known, passes: reading === known.value };
  if (reading >= known.value) return accepted;
  const { doubt } = known;
  const count = doubt && reading >= doubt.value ? doubt.count + 1 : 1;
  if (count >= CONFIRMING_RECORDS) return accepted;
  return { counter: { value: known.value, end, doubt: { value: reading, count } }, passes: false };
}
