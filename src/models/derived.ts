// Values that a record has only between the lines: the surplus of solar, and the share of the home's use that is its own.
import { decimalOf } from "./measurements";
import { isServiceObject, type ServiceObject } from "./service-object";

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
  const [solar, used] = [numberAt(record, "solar", "power"), numberAt(record, "consumption", "power")];
  const battery = hasBattery(record) ? numberAt(record, "storage", "power") : 0;
  if (solar === null || used === null || battery === null) return null;
  // Positive = discharge (service interface 2.5 rule 2).
  return Math.max(0, solar - used - Math.max(0, -battery));
}

/** The share of the home's use that solar and battery cover, in percent: what the grid does not send to the home. */
function selfUse(record: ServiceObject): number | null {
  const [bought, sold] = exchange(record, "grid", "importedEnergy", "exportedEnergy");
  const [drawn, stored] = hasBattery(record)
    ? exchange(record, "storage", "dischargeEnergy", "chargeEnergy")
    : [0, 0];
  const made = numberAt(record, "solar", "energy");
  if (bought === null || sold === null || drawn === null || stored === null || made === null) return null;
  const used = numberAt(record, "consumption", "energy") ?? bought + made + drawn - sold - stored;
  if (used <= 0) return null;
  const solar = Math.max(0, made);
  // Who feeds whom: what is exported is solar first, and the home is served before the battery.
  const solarSold = Math.min(solar, sold);
  const batteryToHome = Math.min(drawn - Math.min(drawn, sold - solarSold), used);
  const solarToHome = Math.min(solar - solarSold, used - batteryToHome);
  const solarStored = Math.min(solar - solarSold - solarToHome, stored);
  const gridStored = Math.min(bought, stored - solarStored);
  const gridToHome = Math.min(bought - gridStored, used - batteryToHome - solarToHome);
  return 100 * (1 - gridToHome / used);
}

/** What a group took in and gave out, else by the sign of its energy: positive = in (service interface 2.5 rule 2). */
function exchange(
  record: ServiceObject,
  group: string,
  into: string,
  out: string,
): [into: number | null, out: number | null] {
  const net = numberAt(record, group, "energy");
  const given = (field: string, bySign: number | null): number | null => {
    const value = numberAt(record, group, field) ?? bySign;
    return value === null ? null : Math.max(0, value);
  };
  return [given(into, net), given(out, net === null ? null : -net)];
}

function hasBattery(record: ServiceObject): boolean {
  return isServiceObject(record["storage"]);
}

function numberAt(record: ServiceObject, group: string, field: string): number | null {
  const fields = record[group];
  return isServiceObject(fields) ? decimalOf(fields[field]) : null;
}
