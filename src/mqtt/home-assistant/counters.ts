// Suppresses implausible readings of lifetime counters; three in a row that agree with each other are a new start.
import {
  type CounterBase,
  type CounterReading,
  hoursBetween,
  isPlausibleRise,
  peakPower,
} from "../../models/counter-rise";
import { finiteOf, MEASUREMENTS } from "../../models/measurements";
import { objectOf } from "../../models/service-object";
import type { TimedRecord } from "../../models/telemetry";

const CONFIRMING_RECORDS = 3;

/** Of telemetry and, as those of an inverter, of the meter; others, which a service may have, are no entities. */
const COUNTERS = Object.entries({ ...MEASUREMENTS, rgm: MEASUREMENTS.inverter }).flatMap(([group, fields]) =>
  Object.keys(fields).flatMap((field) => (field.startsWith("lifetime") ? [{ group, field }] : [])),
);

/** The last accepted reading. Plain data, stored as JSON. Energy in Wh, times in milliseconds. */
interface Counter extends CounterBase {
  /** The highest power so far, in W, which limits how much the counter may rise during a gap. */
  peak?: number | undefined;
  /** The latest implausible reading since then, and how many in a row have agreed with each other. */
  doubt?: CounterBase & { count: number };
}

/** Keyed by GROUP/FIELD. */
export type Counters = Readonly<Record<string, Counter>>;

/**
 * Checks the lifetime counters of a record, which only rise (service interface 2.5 semantics 4), and by no more than the
 * energy of the time between. A drop or a steeper rise is in doubt: a glitch is not published, while a reset, a new meter or
 * a long gap is accepted with the third record.
 * @returns also the counters of the record not to publish, as GROUP/FIELD
 */
export function checkCounters(known: Counters, timed: TimedRecord) {
  const counters = { ...known };
  const suppressed = new Set<string>();
  for (const { group, field } of COUNTERS) {
    const reported = objectOf(timed.record[group])[field] ?? null;
    if (reported === null) continue;
    const name = `${group}/${field}`;
    const value = finiteOf(reported);
    if (value === null || value < 0) {
      suppressed.add(name);
      continue;
    }
    const { start, end } = timed;
    const reading = { value, start, end, energy: intervalEnergy(timed, group, field) };
    const { counter, passes } = checkCounter(known[name], reading);
    counters[name] = counter;
    if (!passes) suppressed.add(name);
  }
  return { counters, suppressed };
}

function checkCounter(
  known: Counter | undefined,
  reading: CounterReading,
): { counter: Counter; passes: boolean } {
  const { value, end } = reading;
  if (!known) return { counter: { value, end }, passes: true };
  const { peak, doubt } = known;
  // A record that is not newer changes nothing.
  if (end <= (doubt ?? known).end) return { counter: known, passes: value === known.value };
  if (isPlausibleRise(known, reading, peak))
    return { counter: { value, end, peak: peakPower(known, reading, peak) }, passes: true };
  const count = doubt && isPlausibleRise(doubt, reading, peak) ? doubt.count + 1 : 1;
  if (count >= CONFIRMING_RECORDS) return { counter: { value, end, peak }, passes: true };
  return { counter: { ...known, doubt: { value, end, count } }, passes: false };
}

/**
 * The energy that belongs to a lifetime counter (service interface 2.5): lifetimeImportedEnergy counts importedEnergy, and so
 * on. Without it: power, which is an average over the interval. In Wh, without its sign.
 */
export function intervalEnergy(
  { record, start, end }: TimedRecord,
  group: string,
  field: string,
): number | undefined {
  const own = field.replace(/^lifetime(.)/, (_all, first: string) => first.toLowerCase());
  const { [own]: reported, power } = objectOf(record[group]);
  const energy = finiteOf(reported);
  if (energy !== null) return Math.abs(energy);
  const average = finiteOf(power);
  return average === null ? undefined : Math.abs(average) * hoursBetween(start, end);
}
