// Home Assistant's device-based discovery: one message describes a device and all its entities.
import type { SourceName } from "../ledger/record-id";
import { VERSION } from "../version";
import { deviceId, entitySlug } from "./device-id";
import { ENTITIES, type Entity, entityKey, entitySource } from "./entities";
import type { DeviceProfile } from "./known-devices";
import type { PublishRule } from "../mqtt/publication";
import { seriesTopic } from "../mqtt/topics";

export const ONLINE = "online";
export const OFFLINE = "offline";

const ORIGIN = {
  name: "@energy-sites/node-red",
  sw_version: VERSION,
  support_url: "https://github.com/energy-sites/node-red",
};

const END_NAMES: Record<SourceName, string> = {
  telemetry: "Data as of",
  rgm: "Revenue meter data as of",
};

type Component = Record<string, unknown>;

/** Where the discovery message of a device is published. */
export function configTopic({ discoveryPrefix, prefix }: PublishRule, profile: DeviceProfile): string {
  return `${discoveryPrefix}/device/${deviceId(prefix, profile)}/config`;
}

/** Where `online` or `offline` is published for a device. */
export function availabilityTopic({ prefix }: PublishRule, profile: DeviceProfile): string {
  return `${seriesTopic(prefix, profile)}/availability`;
}

/** One topic per source: telemetry and meter records arrive independently and must not overwrite each other. */
export function stateTopic({ prefix }: PublishRule, profile: DeviceProfile, source: SourceName): string {
  return `${seriesTopic(prefix, profile)}/state/${source}`;
}

/** The payload of a device's discovery message. A system is linked to its site by `via_device`. */
export function deviceConfig(rule: PublishRule, profile: DeviceProfile): object {
  const { siteId, systemId, siteName = siteId } = profile;
  const id = deviceId(rule.prefix, profile);
  const entities = ENTITIES.filter((entity) => profile.entities.includes(entityKey(entity)));
  const sources = new Set(entities.map(entitySource));
  const components = {
    stale: staleSensor(rule, profile),
    ...Object.fromEntries(
      [...sources].map((source) => [`${source}_endTime`, endSensor(rule, profile, source)]),
    ),
    ...Object.fromEntries(entities.map((entity) => [entityKey(entity), sensor(rule, profile, entity)])),
  };
  return {
    device: {
      identifiers: [id],
      name: systemId === undefined ? siteName : `${siteName} ${systemId}`,
      ...(systemId === undefined ? {} : { via_device: deviceId(rule.prefix, { siteId }) }),
    },
    origin: ORIGIN,
    availability: [{ topic: availabilityTopic(rule, profile) }],
    qos: rule.qos,
    components: Object.fromEntries(
      Object.entries(components).map(([key, component]) => [key, identified(id, key, component)]),
    ),
  };
}

function identified(id: string, key: string, component: Component): Component {
  const entityId = `${String(component["platform"])}.${entitySlug(`${id}_${key}`)}`;
  return { ...component, unique_id: `${id}_${key}`, default_entity_id: entityId };
}

function sensor(rule: PublishRule, profile: DeviceProfile, entity: Entity): Component {
  const { group, field, traits } = entity;
  return {
    platform: "sensor",
    name: entityName(profile, entity),
    ...traits,
    state_topic: stateTopic(rule, profile, entitySource(entity)),
    // If a template fails, the old state stays, so check for a group that is null.
    value_template: `{{ value_json.${group}.${field} if value_json.${group} else None }}`,
    expire_after: seconds(rule.expireAfter),
  };
}

function entityName({ basis }: DeviceProfile, entity: Entity): string {
  // The side is part of the name only if the system measures on both.
  const isMixed = Object.values(basis).includes("dc");
  const side = entity.basis ?? (isMixed && isMeasured(entity) ? basis[entity.group] : undefined);
  return side ? `${entity.name} ${side.toUpperCase()}` : entity.name;
}

/** Stored energy and percentages are the same on either side. */
function isMeasured({ traits }: Entity): boolean {
  return ["power", "energy"].includes(String(traits["device_class"]));
}

/** Shows how old the readings are, because Home Assistant uses the time of arrival. */
function endSensor(rule: PublishRule, profile: DeviceProfile, source: SourceName): Component {
  return {
    platform: "sensor",
    name: END_NAMES[source],
    device_class: "timestamp",
    entity_category: "diagnostic",
    state_topic: stateTopic(rule, profile, source),
    value_template: "{{ value_json.endTime }}",
    expire_after: seconds(rule.expireAfter),
  };
}

/** On while there is no fresh record. It always counts as available, since it reports the device's availability. */
function staleSensor(rule: PublishRule, profile: DeviceProfile): Component {
  return {
    platform: "binary_sensor",
    name: "Data stale",
    device_class: "problem",
    entity_category: "diagnostic",
    state_topic: availabilityTopic(rule, profile),
    payload_on: OFFLINE,
    payload_off: ONLINE,
    availability: [],
    // Republished before it expires, so that it becomes unknown only if publishing stops.
    expire_after: 2 * seconds(rule.expireAfter),
  };
}

/** `expire_after` must be a whole number. */
function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
