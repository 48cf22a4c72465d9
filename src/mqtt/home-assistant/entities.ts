// Maps readings to Home Assistant entities: classes, units, icons. Keys identify entities and must never change.
import { type Basis, isPlausible } from "../../models/measurements";
import { isServiceObject } from "../../models/service-object";
import type { IntervalRecord } from "../../models/telemetry";
import type { SourceName } from "../../series/identity";
import { sourceOfGroup } from "../../messages/series";
import type { NameKey } from "./names";
import { stateText } from "./discovery";

export interface Entity {
  group: string;
  field: string;
  type: "number" | "string";
  /** Fields of the discovery message. */
  traits: Traits;
  /** Only if it is the same for every generation. */
  basis?: Basis;
}

type Traits = Readonly<Record<string, string | number | boolean>>;

const WHOLE = { suggested_display_precision: 0 };
export const DIAGNOSTIC = { entity_category: "diagnostic" };
/** Not on the dashboards that Home Assistant makes by itself, from 2026.7 on; earlier versions ignore it. */
export const RARELY_SEEN = { ...DIAGNOSTIC, visible_by_default: false };
/** Added by Home Assistant, but switched off until a user wants it. */
const RARELY_USED = { enabled_by_default: false };

const POWER = { device_class: "power", state_class: "measurement", unit_of_measurement: "W", ...WHOLE };
/** Counters can be reset, and Home Assistant would count a reset of a `total` as a huge negative amount. */
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
export const PERCENTAGE = {
  state_class: "measurement",
  unit_of_measurement: "%",
  suggested_display_precision: 1,
};

function numbers(group: string, fields: Record<string, Traits>, basis?: Basis): Entity[] {
  return Object.entries(fields).map(([field, traits]) => ({
    group,
    field,
    type: "number",
    traits,
    ...(basis && { basis }),
  }));
}

const EXCHANGE = { power: POWER, lifetimeImportedEnergy: COUNTER, lifetimeExportedEnergy: COUNTER };

/** The energy of a single interval has no entity: it would be counted again next to the lifetime counters. */
export const ENTITIES: readonly Entity[] = [
  ...numbers("grid", {
    power: { ...POWER, icon: "mdi:transmission-tower" },
    lifetimeImportedEnergy: { ...COUNTER, icon: "mdi:transmission-tower-export" },
    lifetimeExportedEnergy: { ...COUNTER, icon: "mdi:transmission-tower-import" },
  }),
  // Not an enum: the service may send values that this version does not know.
  {
    group: "grid",
    field: "connectivityStatus",
    type: "string",
    traits: { ...DIAGNOSTIC, icon: "mdi:power-plug" },
  },
  ...numbers("solar", {
    power: { ...POWER, icon: "mdi:solar-power" },
    lifetimeEnergy: { ...COUNTER, icon: "mdi:solar-power" },
  }),
  ...numbers("consumption", {
    power: { ...POWER, icon: "mdi:home-lightning-bolt" },
    lifetimeEnergy: { ...COUNTER, icon: "mdi:home-lightning-bolt" },
  }),
  ...numbers("storage", {
    power: { ...POWER, icon: "mdi:home-battery" },
    lifetimeDischargeEnergy: { ...COUNTER, icon: "mdi:battery-arrow-down" },
    lifetimeChargeEnergy: { ...COUNTER, icon: "mdi:battery-arrow-up" },
    // The class brings an icon that shows the charge.
    stateOfCharge: { device_class: "battery", ...PERCENTAGE },
    remainingEnergy: STORED,
    totalEnergy: { ...STORED, ...DIAGNOSTIC },
    minimumReserve: { ...PERCENTAGE, ...DIAGNOSTIC, icon: "mdi:battery-lock" },
  }),
  ...numbers("inverter", { ...EXCHANGE, lifetimeImportedEnergy: { ...COUNTER, ...RARELY_USED } }, "ac"),
  ...numbers("rgm", EXCHANGE, "ac"),
];

/** Identifies an entity within its device, as `group_field`. Every entity has a name. */
export function entityKey({ group, field }: Entity): NameKey {
  return `${group}_${field}` as NameKey;
}

/** The source of the entity's readings. */
export function entitySource({ group }: Entity): SourceName {
  return sourceOfGroup(group);
}

/**
 * The value of an entity in a record, a text of at most 255 characters. Null if it is missing, has another type, or is a
 * percentage outside 0 to 100.
 */
export function entityValue(record: IntervalRecord, { group, field, type }: Entity): unknown {
  const fields = record[group];
  const value = isServiceObject(fields) ? fields[field] : null;
  if (typeof value !== type) return null;
  if (typeof value === "string") return stateText(value);
  return isPlausible(field, value) ? value : null;
}

/**
 * Holds every field that has an entity. A suppressed counter is null, and so is a group that the record does not have.
 * `end` of the record in milliseconds, `suppressed` as GROUP/FIELD.
 */
export function entityState(
  record: IntervalRecord,
  source: SourceName,
  end: number,
  suppressed: ReadonlySet<string>,
): object {
  const groups: Record<string, Record<string, unknown> | null> = {};
  for (const entity of ENTITIES.filter((one) => entitySource(one) === source)) {
    const { group, field } = entity;
    const fields = (groups[group] ??= isServiceObject(record[group]) ? {} : null);
    if (fields) fields[field] = suppressed.has(`${group}/${field}`) ? null : entityValue(record, entity);
  }
  return { endTime: new Date(end).toISOString(), ...groups };
}
