// Values that a record has only between the lines: the surplus of solar, and the share of the home's use that is its own.
import { decimalOf } from "../models/measurements";
import { isServiceObject, type ServiceObject } from "../models/service-object";
import { flowsOf } from "./flows";

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
  const [imported, exported] = exchange(record, "grid", "importedEnergy", "exportedEnergy");
  const [discharged, charged] = hasBattery(record)
    ? exchange(record, "storage", "dischargeEnergy", "chargeEnergy")
    : [0, 0];
  const made = numberAt(record, "solar", "energy");
  if (imported === null || exported === null || discharged === null || charged === null || made === null)
    return null;
  const consumed =
    numberAt(record, "consumption", "energy") ?? imported + made + discharged - exported - charged;
  if (consumed <= 0) return null;
  const solar = Math.max(0, made);
  const { gridToHome } = flowsOf({ solar, imported, exported, charged, discharged, consumed }, "house");
  return 100 * (1 - gridToHome / consumed);
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
