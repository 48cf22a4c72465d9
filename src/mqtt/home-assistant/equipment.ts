// A device of site info in Home Assistant, linked to its system: an entity for each field that has had a value.
import type { Publication, PublishRule } from "../publications";
import { seriesTopic, topicLevel } from "../topics";
import { type Component, deviceId, type Discovery, escaped, expiryOf, type KnownDevice } from "./discovery";
import { DIAGNOSTIC, PERCENTAGE } from "./entities";
import {
  EQUIPMENT_FIELDS,
  type EquipmentField,
  type EquipmentProfile,
  type EquipmentValues,
  NO_CLASS,
} from "./equipment-reader";
import { NAMES } from "./names";

export interface EquipmentDevice extends KnownDevice<"equipment", EquipmentProfile> {
  readonly values: EquipmentValues;
  /** When the last message arrived, in milliseconds. */
  readonly asOf: number;
}

/** The service may send texts that this version does not know, so none of them is an enum. */
const TRAITS: Readonly<Record<EquipmentField, Readonly<Record<string, string | number>>>> = {
  stateOfCharge: { device_class: "battery", ...PERCENTAGE },
  stateOfHealth: { ...PERCENTAGE, ...DIAGNOSTIC, icon: "mdi:battery-heart" },
  moduleCount: { ...DIAGNOSTIC, suggested_display_precision: 0, icon: "mdi:counter" },
  lastHeardAt: { device_class: "timestamp", ...DIAGNOSTIC },
  deviceState: { ...DIAGNOSTIC, icon: "mdi:state-machine" },
  enabledState: { ...DIAGNOSTIC, icon: "mdi:toggle-switch" },
  highestAlertSeverity: { ...DIAGNOSTIC, icon: "mdi:alert" },
};

/**
 * Without a system, an empty part stands in its place. No escaped id contains `_n`, so a device without an id has an id of its
 * own.
 */
export function equipmentId(prefix: string, profile: EquipmentProfile): string {
  const { siteId, systemId = "", key, deviceClass = NO_CLASS } = profile;
  const part = typeof key === "number" ? `_n${escaped(deviceClass)}_n${key}` : escaped(key);
  return `${deviceId(prefix, { siteId, systemId })}__${part}`;
}

/** Adds what a message says. A missing time stays the last known one. */
export function mergedEquipment(known: EquipmentDevice, added: EquipmentDevice): EquipmentDevice {
  const seen = [...known.profile.fields, ...added.profile.fields];
  const fields = EQUIPMENT_FIELDS.filter((field) => seen.includes(field));
  const lastHeardAt = added.values.lastHeardAt ?? known.values.lastHeardAt;
  return {
    ...added,
    profile: { ...known.profile, ...added.profile, fields },
    values: { ...added.values, lastHeardAt },
  };
}

export function equipmentDiscovery(
  rule: PublishRule,
  { id, profile }: EquipmentDevice,
  parentId: string | undefined,
): Discovery {
  const { deviceClass, key, model, serialNumber, fields } = profile;
  const names: Readonly<Record<string, string>> = NAMES[rule.language];
  // The class in words, followed by what tells the device from others of its class.
  const className = names[`device_${deviceClass ?? ""}`] ?? deviceClass ?? NAMES[rule.language].device;
  return {
    deviceId: id,
    device: { name: `${className} ${serialNumber ?? key}`, model, serial_number: serialNumber },
    parentId,
    availabilityTopics: [],
    components: Object.fromEntries(fields.map((field) => [field, sensor(rule, profile, field)])),
  };
}

/** When the state of charge becomes unknown; undefined if it is. Times in milliseconds. */
export function chargeUntil(
  { expireAfter }: PublishRule,
  { values, asOf }: EquipmentDevice,
  now: number,
): number | undefined {
  if (values.stateOfCharge === null) return undefined;
  const heard = values.lastHeardAt === null ? asOf : Date.parse(String(values.lastHeardAt));
  const until = Math.min(heard, asOf) + expireAfter;
  return until > now ? until : undefined;
}

/** Its state. An old charge is unknown: nothing has been heard from the battery since. `now` in milliseconds. */
export function equipmentState(rule: PublishRule, device: EquipmentDevice, now: number): Publication {
  const { profile, values, asOf } = device;
  const isOld = chargeUntil(rule, device, now) === undefined;
  const state = { asOf: new Date(asOf).toISOString(), ...values, ...(isOld && { stateOfCharge: null }) };
  return { topic: stateTopic(rule, profile), payload: JSON.stringify(state), retain: false };
}

function sensor(rule: PublishRule, profile: EquipmentProfile, field: EquipmentField): Component {
  return {
    platform: "sensor",
    name: NAMES[rule.language][`device_${field}`],
    ...TRAITS[field],
    state_topic: stateTopic(rule, profile),
    value_template: `{{ value_json.${field} }}`,
    ...(field === "stateOfCharge" ? { expire_after: expiryOf(rule) } : {}),
  };
}

/** A device without an id has a level more, so that its topic is that of no other. */
function stateTopic({ prefix }: PublishRule, profile: EquipmentProfile): string {
  const { key, deviceClass = NO_CLASS } = profile;
  const levels = typeof key === "number" ? [deviceClass, String(key)] : [key];
  return [`${seriesTopic(prefix, profile)}/devices`, ...levels.map(topicLevel), "state"].join("/");
}
