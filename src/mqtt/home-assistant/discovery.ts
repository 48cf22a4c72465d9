// Home Assistant's device-based discovery: the message that describes a device and its entities, and what is published beside it.
import { digestOf } from "../../canonical-json";
import type { FlowMessage } from "../../messages/reader";
import { decimalsOf } from "../../models/measurements";
import { mapValues } from "../../objects";
import { shownName, slugOf, systemNameWith } from "../../shown-text";
import type { Publication, PublishRule } from "../publications";
import { ALERTS } from "./alerts";
import { BRIDGE } from "./bridge";
import { type Device, deviceTopic, hasRecords, type Place, type Profile, STALE } from "./device";
import { type Entity, NAMES } from "./entities";
import { EQUIPMENT } from "./equipment";
import { READINGS, RECORD_ENDS } from "./readings";
import { TOTALS } from "./totals";

/**
 * Without the version of this package: Home Assistant would take every upgrade for a change of every entity, and show it as
 * unavailable until its next state.
 */
const ORIGIN = {
  name: "@energy-sites/node-red",
  support_url: "https://github.com/energy-sites/node-red",
};

/** In the order in which Home Assistant lists them. */
export const ENTITIES: readonly Entity[] = [
  STALE,
  ...RECORD_ENDS,
  ...READINGS,
  ...TOTALS,
  ...ALERTS,
  ...BRIDGE,
  ...EQUIPMENT,
];

function discoveryTopic({ discoveryPrefix }: PublishRule, id: string): string {
  return `${discoveryPrefix}/device/${id}/config`;
}

export function discoveryMessage(
  rule: PublishRule,
  { id, profile }: Pick<Device, "id" | "profile">,
): Publication {
  const keys = new Set(profile.entities);
  const shown = ENTITIES.filter(({ key }) => keys.has(key));
  const payload = {
    // Home Assistant cannot parse JSON with half a surrogate pair, and shows names of any length.
    device: {
      identifiers: [id],
      ...mapValues(described(rule, profile), shownName),
      via_device: profile.parentId,
    },
    origin: ORIGIN,
    ...availabilityOf(rule, {}, ...(hasRecords({ profile }) ? [profile] : [])),
    components: Object.fromEntries(shown.map((entity) => [entity.key, component(rule, id, profile, entity)])),
  };
  return { topic: discoveryTopic(rule, id), payload: JSON.stringify(payload), retain: true };
}

/** What Home Assistant shows of the device; JSON leaves out what is undefined. */
function described({ language }: PublishRule, profile: Profile): Record<string, string | undefined> {
  const { siteId, systemId, siteName = siteId, systemName = systemId, model, inverterType } = profile;
  const { key, serialNumber, deviceClass = "" } = profile;
  const names: Readonly<Record<string, string>> = NAMES[language];
  if (key !== undefined) {
    // The class in words, followed by what tells the device from others of its class.
    const className = names[`device_${deviceClass}`] ?? (readableClass(deviceClass) || names["device"]);
    return { name: `${className} ${serialNumber ?? key}`, model, serial_number: serialNumber };
  }
  if (siteName === undefined) return { name: names["account"] };
  if (systemId === undefined) return { name: siteName };
  return {
    name: systemNameWith(siteName, systemName),
    serial_number: systemId,
    model,
    model_id: inverterType,
  };
}

/** `PC2_CONTROLLER` as `PC2 controller`; what is not in capitals is kept. */
function readableClass(deviceClass: string): string {
  if (!/^[A-Z0-9_]*[A-Z][A-Z0-9_]*$/.test(deviceClass)) return deviceClass;
  const words = deviceClass.replaceAll(/_+/g, " ").trim();
  const text = words.replaceAll(/\b[A-Z]+\b/g, (word) => word.toLowerCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** In the terms of Home Assistant's MQTT integration. */
function component(rule: PublishRule, id: string, profile: Profile, entity: Entity): object {
  const { key, state, traits, unit, group, expires } = entity;
  const { platform = "sensor" } = traits;
  const topic = `${deviceTopic(rule.prefix, profile)}/${state}`;
  const ownUnit = unit === undefined ? undefined : profile.units[unit];
  const isMoney = traits["device_class"] === "monetary";
  return {
    platform,
    name: entityName(rule, profile, entity),
    ...traits,
    ...(unit !== undefined && {
      unit_of_measurement: ownUnit,
      suggested_display_precision: isMoney ? decimalsOf(ownUnit ?? "") : ownUnit === "Wh" ? 0 : 2,
    }),
    state_topic: topic,
    ...("json_attributes_template" in traits && { json_attributes_topic: topic }),
    // What is not read from records is available without fresh ones.
    ...(group === undefined && hasRecords({ profile }) && availabilityOf(rule, {})),
    // A whole number of seconds.
    ...(expires && {
      expire_after: expires * Math.ceil(Math.max(rule.expireAfter, profile.validFor ?? 0) / 1000),
    }),
    unique_id: `${id}_${key}`,
    default_entity_id: `${String(platform)}.${entitySlug(`${id}_${snakeCase(key)}`)}`,
    // Home Assistant before 2026.5 ignores that of the device.
    qos: rule.qos,
  };
}

function entityName({ language }: PublishRule, { basis }: Profile, entity: Entity): string {
  const names = NAMES[language];
  const name = names[entity.name];
  if (entity.period)
    return names.totals_name.replace("{quantity}", name).replace("{period}", names[entity.period]);
  // The side is part of the name only if the system measures on both. Stored energy and percentages are the same on either.
  const isMeasured = ["power", "energy"].includes(String(entity.traits["device_class"]));
  const isMixed = isMeasured && Object.values(basis).includes("dc");
  const side = entity.basis ?? (isMixed ? basis[entity.group ?? ""] : undefined);
  return side ? `${name} ${side.toUpperCase()}` : name;
}

/** An entity is available if all of these are. */
function availabilityOf({ prefix }: PublishRule, ...places: Place[]): object {
  const availability = places.map((place) => ({ topic: availabilityTopic(prefix, place) }));
  return { availability, availability_mode: "all" };
}

/**
 * Where `online` or `offline` is published: of the account, whether Node-RED publishes at all. Last will and close message of
 * the broker connection can say `offline` there.
 */
function availabilityTopic(prefix: string, place: Place): string {
  return `${deviceTopic(prefix, place)}/availability`;
}

/** What the broker may retain of a device. */
export function retainedTopics(rule: PublishRule, device: Device): string[] {
  const { id, profile, retained = [] } = device;
  return [
    discoveryTopic(rule, id),
    ...(hasRecords(device) ? [availabilityTopic(rule.prefix, profile)] : []),
    ...retained.map((end) => `${deviceTopic(rule.prefix, profile)}/${end}`),
  ];
}

/**
 * Says whether Node-RED publishes at all or, of a device, whether it has a fresh record. Retained, so that a Home Assistant that
 * starts later knows it without waiting for the next record.
 */
export function availabilityMessage(rule: PublishRule, isOnline: boolean, place: Place = {}): Publication {
  const topic = availabilityTopic(rule.prefix, place);
  return { topic, payload: isOnline ? "online" : "offline", retain: true };
}

/** Whether the device is stale is not retained: nothing would withdraw it if Node-RED were gone. */
export function availabilityMessages(
  rule: PublishRule,
  { profile }: Device,
  isOnline: boolean,
): Publication[] {
  const topic = `${deviceTopic(rule.prefix, profile)}/${STALE.state}`;
  return [
    availabilityMessage(rule, isOnline, profile),
    { topic, payload: isOnline ? "OFF" : "ON", retain: false },
  ];
}

/** The status that Home Assistant itself publishes, `online` when it starts, else `offline`; undefined for other messages. */
export function homeAssistantStatus(
  { topic, payload, energy }: FlowMessage,
  discoveryPrefix: string,
): string | undefined {
  if (topic !== `${discoveryPrefix}/status` || energy !== undefined) return undefined;
  return Buffer.isBuffer(payload) || typeof payload === "string" ? String(payload) : undefined;
}

/** `storage_lifetimeChargeEnergy` as `storage_lifetime_charge_energy`. */
function snakeCase(key: string): string {
  return key.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Home Assistant allows 255 characters, with the platform; it may add a number. */
const MAX_SLUG_LENGTH = 230;

/** A text in the form of Home Assistant's entity ids. */
function entitySlug(text: string): string {
  const slug = slugOf(text);
  if (slug.length <= MAX_SLUG_LENGTH) return slug;
  // The end tells the entities of a device apart, the digest the devices.
  const digest = digestOf(text).slice(0, 10);
  return `${slug.slice(0, 100)}_${digest}_${slug.slice(-100)}`.replaceAll(/_+/g, "_");
}
