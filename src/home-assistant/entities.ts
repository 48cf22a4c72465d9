// Maps readings to Home Assistant entities: names, classes, units. Keys identify entities and must never change.
import { isServiceObject } from "../models/service-object";
import type { IntervalRecord } from "../models/telemetry";
import type { Basis } from "../models/basis";
import type { SourceName } from "../ledger/record-id";
import { sourceOfGroup } from "../messages/series";

export interface Entity {
  group: string;
  field: string;
  name: string;
  type: "number" | "string";
  /** Fields of the discovery message. */
  traits: Readonly<Record<string, string | number>>;
  /** Only if it is the same for every generation. */
  basis?: Basis;
}

const WHOLE = { suggested_display_precision: 0 };
const POWER = { device_class: "power", state_class: "measurement", unit_of_measurement: "W", ...WHOLE };
const COUNTER = {
  device_class: "energy",
  state_class: "total_increasing",
  unit_of_measurement: "Wh",
  ...WHOLE,
};
/** Home Assistant rejects `energy` with `measurement`. */
const STORED = {
  device_class: "energy_storage",
  state_class: "measurement",
  unit_of_measurement: "Wh",
  ...WHOLE,
};
const CHARGE = { device_class: "battery", state_class: "measurement", unit_of_measurement: "%" };
const RESERVE = { state_class: "measurement", unit_of_measurement: "%", entity_category: "diagnostic" };

function numericEntities(
  group: string,
  title: string,
  fields: Record<string, [name: string, traits: Entity["traits"]]>,
  basis?: Basis,
): Entity[] {
  return Object.entries(fields).map(([field, [name, traits]]) => ({
    group,
    field,
    name: `${title} ${name}`,
    type: "number",
    traits,
    ...(basis && { basis }),
  }));
}

const FLOW: Record<string, [string, Entity["traits"]]> = {
  power: ["power", POWER],
  lifetimeImportedEnergy: ["energy imported", COUNTER],
  lifetimeExportedEnergy: ["energy exported", COUNTER],
};
const METER: Record<string, [string, Entity["traits"]]> = {
  power: ["power", POWER],
  lifetimeEnergy: ["energy", COUNTER],
};

/** The energy of a single interval has no entity: it would be counted again next to the lifetime counters. */
export const ENTITIES: readonly Entity[] = [
  ...numericEntities("grid", "Grid", FLOW),
  // Not an enum: the service may send values that this version does not know.
  { group: "grid", field: "connectivityStatus", name: "Grid connectivity", type: "string", traits: {} },
  ...numericEntities("solar", "Solar", METER),
  ...numericEntities("consumption", "Consumption", METER),
  ...numericEntities("storage", "Battery", {
    power: ["power", POWER],
    lifetimeDischargeEnergy: ["energy discharged", COUNTER],
    lifetimeChargeEnergy: ["energy charged", COUNTER],
    stateOfCharge: ["state of charge", CHARGE],
    remainingEnergy: ["energy remaining", STORED],
    totalEnergy: ["energy capacity", STORED],
    minimumReserve: ["minimum reserve", RESERVE],
  }),
  ...numericEntities("inverter", "Inverter", FLOW, "ac"),
  ...numericEntities("rgm", "Revenue meter", FLOW, "ac"),
];

/** Identifies an entity within its device, as `group_field`. */
export function entityKey({ group, field }: Entity): string {
  return `${group}_${field}`;
}

/** The source of the entity's readings. */
export function entitySource({ group }: Entity): SourceName {
  return sourceOfGroup(group);
}

/** The value of an entity in a record; null if it is missing or has another type. */
export function entityValue(record: IntervalRecord, { group, field, type }: Entity): unknown {
  const fields = record[group];
  const value = isServiceObject(fields) ? fields[field] : null;
  return typeof value === type ? value : null;
}
