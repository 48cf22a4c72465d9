// Values that a record has only between the lines: the surplus of solar, and the share of the home's use that is its own.
import { decimalOf } from "../models/measurements";
import { isServiceObject, objectOf, type ServiceObject } from "../models/service-object";
import { energiesOf, flowsOf, type Group, isBalance } from "./energies";

/** By path. Each returns null if the record does not say enough: null is never 0, but a battery that a site lacks does nothing. */
const DERIVED: ReadonlyMap<string, (record: ServiceObject) => number | null> = new Map([
  ["derived.surplus", surplus],
  ["derived.selfUse", selfUse],
]);

export const DERIVED_PATHS: readonly string[] = [...DERIVED.keys()];

/** The value of a derived path, undefined for every other path. */
export function derivedValue(record: ServiceObject, path: string): number | null | undefined {
  return DERIVED.get(path)?.(record);
}

/** Solar power that home and battery do not use, in W. */
function surplus(record: ServiceObject): number | null {
  const [solar, used] = [powerOf(record, "solar"), powerOf(record, "consumption")];
  const battery = hasBattery(record) ? powerOf(record, "storage") : 0;
  if (solar === null || used === null || battery === null) return null;
  // Positive = discharge (service interface 2.5 rule 2).
  return Math.max(0, solar - used - Math.max(0, -battery));
}

/** The share of the home's use that solar and battery cover, in percent: what the grid does not send to the home. */
function selfUse(record: ServiceObject): number | null {
  const absent = new Set<Group>(hasBattery(record) ? [] : ["storage"]);
  const { energies } = energiesOf(record, absent);
  if (!isBalance(energies) || energies.consumed <= 0) return null;
  return 100 * (1 - flowsOf(energies, "house").gridToHome / energies.consumed);
}

function hasBattery(record: ServiceObject): boolean {
  return isServiceObject(record["storage"]);
}

function powerOf(record: ServiceObject, group: Group): number | null {
  return decimalOf(objectOf(record[group])["power"]);
}
