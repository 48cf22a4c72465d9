// The entities in Home Assistant of readings: classes, units, icons. Keys identify entities and must never change.
import { MAX_STATE_LENGTH } from "../../limits";
import { type Basis, isPlausible } from "../../models/measurements";
import { isServiceObject, objectOf } from "../../models/service-object";
import type { IntervalRecord } from "../../models/telemetry";
import type { SourceName } from "../../series/identity";
import { shownText } from "../../shown-text";
import type { Language } from "../publications";
import de from "./names/de.json";
import en from "./names/en.json";
import es from "./names/es.json";
import fr from "./names/fr.json";
import ja from "./names/ja.json";
import zh from "./names/zh-CN.json";

export type NameKey = keyof typeof en;

/** The names of entities, by their keys: Home Assistant never translates names from MQTT. */
export const NAMES: Record<Language, Readonly<Record<NameKey, string>>> = { en, de, fr, es, ja, "zh-CN": zh };

/** One entity of a device of whatever kind. */
export interface Entity {
  /** Identifies it within its device. */
  readonly key: string;
  readonly name: NameKey;
  /** The period that its name has in addition. */
  readonly period?: NameKey;
  /** The state that has its value: the end of its topic, after that of the device. */
  readonly state: string;
  /** Fields of its discovery message, in the terms of Home Assistant. A sensor, unless they say otherwise. */
  readonly traits: Traits;
  /** The unit among those of the device, if it is not always the same. */
  readonly unit?: string;
  /** Of a reading, and its side if that is the same for every generation. */
  readonly group?: string;
  readonly basis?: Basis;
  /** Its value expires after this many times as long as a record is valid. */
  readonly expires?: number;
}

export interface ReadingEntity extends Entity {
  readonly group: string;
  readonly field: string;
  readonly type: "number" | "string";
}

export type Traits = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * What the names of states begin with, and of totals. Readings have one state per source: telemetry and meter records arrive
 * independently and must not overwrite each other.
 */
export const STATE = "state/";
export const TOTALS_STATE = `${STATE}totals/`;

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

/** A text of the service as a state or attribute. */
export function stateText(given: string): string {
  return shownText(given, MAX_STATE_LENGTH);
}

/** An entity that shows a field of a state. */
export function fieldEntity(key: NameKey, state: string, field: string, traits: Traits): Entity {
  return { key, name: key, state, traits: { ...traits, value_template: `{{ value_json.${field} }}` } };
}

function readings(group: string, fields: Record<string, Traits>, basis?: Basis): ReadingEntity[] {
  return Object.entries(fields).map(([field, traits]) => ({
    key: `${group}_${field}`,
    name: `${group}_${field}` as NameKey,
    // Only records of the meter have its group.
    state: STATE + (group === "rgm" ? "rgm" : "telemetry"),
    group,
    field,
    type: field === "connectivityStatus" ? "string" : "number",
    traits: {
      ...traits,
      // If a template fails, the old state stays, so check for a group that is null.
      value_template: `{{ value_json.${group}.${field} if value_json.${group} else None }}`,
    },
    ...(basis && { basis }),
    expires: 1,
  }));
}

const EXCHANGE = { power: POWER, lifetimeImportedEnergy: COUNTER, lifetimeExportedEnergy: COUNTER };

/** The energy of a single interval has no entity: it would be counted again next to the lifetime counters. */
export const READINGS: readonly ReadingEntity[] = [
  ...readings("grid", {
    power: { ...POWER, icon: "mdi:transmission-tower" },
    lifetimeImportedEnergy: { ...COUNTER, icon: "mdi:transmission-tower-export" },
    lifetimeExportedEnergy: { ...COUNTER, icon: "mdi:transmission-tower-import" },
    // Not an enum: the service may send values that this version does not know.
    connectivityStatus: { ...DIAGNOSTIC, icon: "mdi:power-plug" },
  }),
  ...readings("solar", {
    power: { ...POWER, icon: "mdi:solar-power" },
    lifetimeEnergy: { ...COUNTER, icon: "mdi:solar-power" },
  }),
  ...readings("consumption", {
    power: { ...POWER, icon: "mdi:home-lightning-bolt" },
    lifetimeEnergy: { ...COUNTER, icon: "mdi:home-lightning-bolt" },
  }),
  ...readings("storage", {
    power: { ...POWER, icon: "mdi:home-battery" },
    lifetimeDischargeEnergy: { ...COUNTER, icon: "mdi:battery-arrow-down" },
    lifetimeChargeEnergy: { ...COUNTER, icon: "mdi:battery-arrow-up" },
    // The class brings an icon that shows the charge.
    stateOfCharge: { device_class: "battery", ...PERCENTAGE },
    remainingEnergy: STORED,
    totalEnergy: { ...STORED, ...DIAGNOSTIC },
    minimumReserve: { ...PERCENTAGE, ...DIAGNOSTIC, icon: "mdi:battery-lock" },
  }),
  ...readings("inverter", { ...EXCHANGE, lifetimeImportedEnergy: { ...COUNTER, ...RARELY_USED } }, "ac"),
  ...readings("rgm", EXCHANGE, "ac"),
];

/** On while there is no fresh record. */
export const STALE: Entity = {
  key: "stale",
  name: "stale",
  state: "stale",
  traits: { platform: "binary_sensor", device_class: "problem", ...DIAGNOSTIC },
  // Republished before it expires, so that it becomes unknown only if publishing stops.
  expires: 2,
};

/** They show how old the readings are, because Home Assistant uses the time of arrival. */
export const RECORD_ENDS: readonly Entity[] = (["telemetry", "rgm"] as const).map((source) => ({
  ...fieldEntity(`${source}_endTime`, STATE + source, "endTime", {
    device_class: "timestamp",
    ...RARELY_SEEN,
  }),
  group: "",
  expires: 1,
}));

/**
 * The value of an entity in a record, a text of at most 255 characters. Null if it is missing, has another type, or is a
 * percentage outside 0 to 100.
 */
export function entityValue(record: IntervalRecord, { group, field, type }: ReadingEntity): unknown {
  const value = objectOf(record[group])[field];
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
): Record<string, unknown> {
  const groups: Record<string, Record<string, unknown> | null> = {};
  const name = STATE + source;
  for (const entity of READINGS) {
    const { group, field, state } = entity;
    if (state !== name) continue;
    const fields = (groups[group] ??= isServiceObject(record[group]) ? {} : null);
    if (fields) fields[field] = suppressed.has(`${group}/${field}`) ? null : entityValue(record, entity);
  }
  return { endTime: new Date(end).toISOString(), ...groups };
}
