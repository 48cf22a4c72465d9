// Home Assistant's device-based discovery: the ids of devices, and the message that describes a device and its entities.
import { digestOf } from "../../canonical-json";
import { MAX_STATE_LENGTH } from "../../limits";
import type { FlowMessage } from "../../messages/reader";
import { mapValues } from "../../objects";
import type { SeriesAddress } from "../../series/identity";
import { shownName, shownText } from "../../shown-text";
import type { Publication, PublishRule } from "../publications";
import type { Absence } from "./site-lists";

/**
 * Without the version of this package: Home Assistant would take every upgrade for a change of every entity, and show it as
 * unavailable until its next state.
 */
const ORIGIN = {
  name: "@energy-sites/node-red",
  support_url: "https://github.com/energy-sites/node-red",
};

export const ONLINE = "online";
export const OFFLINE = "offline";

/** What is known of a device, of whatever kind. Plain data, stored as JSON. */
export interface KnownDevice<Kind extends string, Profile> {
  readonly kind: Kind;
  /** Of its discovery message. */
  readonly id: string;
  /** What its discovery depends on. */
  readonly profile: Profile;
  /** If the latest complete site list did not contain it, and it has not been heard of since. */
  readonly absence?: Absence | undefined;
}

/** One entity, in the terms of Home Assistant's MQTT integration. */
export type Component = Readonly<Record<string, unknown>> & {
  readonly platform: string;
  readonly name: string;
};

export interface Discovery {
  /** Identifies the device, and with its key each of its entities. */
  deviceId: string;
  /** What Home Assistant shows of the device; JSON leaves out what is undefined. */
  device: Readonly<Record<string, string | undefined>> & { readonly name: string };
  /** The device that it is linked to. */
  parentId?: string | undefined;
  /** Where the availability of the device is published, in addition to that of the publisher. */
  availabilityTopic?: string;
  /** By entity key, which must never change. */
  components: Readonly<Record<string, Component>>;
}

/** Stable and unique. The parts are separated by two underscores, which an escaped part never contains. */
export function deviceId(prefix: string, { siteId, systemId }: SeriesAddress): string {
  return [prefix, siteId, ...(systemId === undefined ? [] : [systemId])].map(escaped).join("__");
}

/** Replaces every other character by an underscore and two hexadecimal digits for each of its bytes. */
export function escaped(text: string): string {
  return text.replace(/[^A-Za-z0-9-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `_${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}

/** Where a discovery message is published. */
export function discoveryTopic({ discoveryPrefix }: PublishRule, id: string): string {
  return `${discoveryPrefix}/device/${id}/config`;
}

/** @param id of the message among those of the discovery prefix: several may describe parts of one device */
export function discoveryMessage(rule: PublishRule, id: string, discovery: Discovery): Publication {
  const { deviceId, device, parentId, availabilityTopic, components } = discovery;
  const payload = {
    // Home Assistant cannot parse JSON with half a surrogate pair, and shows names of any length.
    device: { identifiers: [deviceId], ...mapValues(device, shownName), via_device: parentId },
    origin: ORIGIN,
    ...availabilityOf(rule, availabilityTopic),
    components: mapValues(components, (component, key) => complete(rule, deviceId, key, component)),
  };
  return { topic: discoveryTopic(rule, id), payload: JSON.stringify(payload), retain: true };
}

/** An entity is available if the publisher and, where there is such a topic, its device is online. */
export function availabilityOf(rule: PublishRule, deviceTopic?: string): object {
  const topics = [publisherTopic(rule), ...(deviceTopic === undefined ? [] : [deviceTopic])];
  return { availability: topics.map((topic) => ({ topic })), availability_mode: "all" };
}

/**
 * Where it is published whether Node-RED publishes at all. Last will and close message of the broker connection can say
 * `offline` here.
 */
function publisherTopic({ prefix }: PublishRule): string {
  return `${prefix}/availability`;
}

/** Says whether Node-RED publishes at all. Retained, for a Home Assistant that starts later. */
export function publisherMessage(rule: PublishRule, state: typeof ONLINE | typeof OFFLINE): Publication {
  return { topic: publisherTopic(rule), payload: state, retain: true };
}

/** The status that Home Assistant itself publishes, `online` when it starts, else `offline`; undefined for other messages. */
export function homeAssistantStatus(
  { topic, payload, energy }: FlowMessage,
  discoveryPrefix: string,
): string | undefined {
  if (topic !== `${discoveryPrefix}/status` || energy !== undefined) return undefined;
  return Buffer.isBuffer(payload) || typeof payload === "string" ? String(payload) : undefined;
}

/** `expire_after` must be a whole number of seconds. `validFor` in milliseconds. */
export function expiryOf({ expireAfter }: PublishRule, validFor = 0): number {
  return Math.ceil(Math.max(expireAfter, validFor) / 1000);
}

/** A text of the service as a state or attribute. */
export function stateText(text: string): string {
  return shownText(text, MAX_STATE_LENGTH);
}

/** The QoS stands in every component, because Home Assistant before 2026.5 ignores that of the device. */
function complete({ qos }: PublishRule, deviceId: string, key: string, component: Component): Component {
  return {
    ...component,
    unique_id: `${deviceId}_${key}`,
    default_entity_id: `${component.platform}.${entitySlug(`${deviceId}_${snakeCase(key)}`)}`,
    qos,
  };
}

/** `storage_lifetimeChargeEnergy` as `storage_lifetime_charge_energy`. */
function snakeCase(key: string): string {
  return key.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Home Assistant allows 255 characters, with the platform; it may add a number. */
const MAX_SLUG_LENGTH = 230;

/** A text in the form of Home Assistant's entity ids: lower-case letters, digits, single underscores. */
function entitySlug(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  if (slug.length <= MAX_SLUG_LENGTH) return slug;
  // The end tells the entities of a device apart, the digest the devices.
  const digest = digestOf(text).slice(0, 10);
  return `${slug.slice(0, 100)}_${digest}_${slug.slice(-100)}`.replaceAll(/_+/g, "_");
}
