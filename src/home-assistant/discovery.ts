// Home Assistant's device-based discovery: one message tells of a device and all its entities.
import type { RecordSource } from "../ledger/record-id";
import { VERSION } from "../version";
import type { DeviceProfile } from "./device-book";
import { deviceId, entitySlug } from "./device-id";
import { ENTITIES, type Entity, entityKey, entitySource } from "./entities";
import type { PublishRule } from "../mqtt/publication";
import { seriesTopic } from "../mqtt/topics";

export const ONLINE = "online";
export const OFFLINE = "offline";

const ORIGIN = {
  name: "@energy-sites/node-red",
  sw_version: VERSION,
  support_url: "https://github.com/energy-sites/node-red",
};

type Component = Record<string, unknown>;

export function configTopic({ discoveryPrefix, prefix }: PublishRule, profile: DeviceProfile): string {
  return `${discoveryPrefix}/device/${deviceId(prefix, profile)}/config`;
}

export function availabilityTopic({ prefix }: PublishRule, profile: DeviceProfile): string {
  return `${seriesTopic(prefix, profile)}/availability`;
}

/** Telemetry and meter records come each at their own pace: neither overwrites the other. */
export function stateTopic({ prefix }: PublishRule, profile: DeviceProfile, source: RecordSource): string {
  return `${seriesTopic(prefix, profile)}/state/${source}`;
}

/** The discovery message of a device. A system stands under its site. */
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
    // A template that fails keeps the old state: a group that is null has to be asked for.
    value_template: `{{ value_json.${group}.${field} if value_json.${group} else None }}`,
    expire_after: seconds(rule.expireAfter),
  };
}

function entityName({ basis }: DeviceProfile, entity: Entity): string {
  // Systems that measure everything on the AC side need no word of it.
  const isMixed = Object.values(basis).includes("dc");
  const side = entity.basis ?? (isMixed && isMeasured(entity) ? basis[entity.group] : undefined);
  return side ? `${entity.name} ${side.toUpperCase()}` : entity.name;
}

/** A percentage and what a battery holds are the same on either side. */
function isMeasured({ traits }: Entity): boolean {
  return ["power", "energy"].includes(String(traits["device_class"]));
}

/** Home Assistant takes the arrival of a message for its time: this one says how old the readings are. */
function endSensor(rule: PublishRule, profile: DeviceProfile, source: RecordSource): Component {
  return {
    platform: "sensor",
    name: source === "rgm" ? "Revenue meter data as of" : "Data as of",
    device_class: "timestamp",
    entity_category: "diagnostic",
    state_topic: stateTopic(rule, profile, source),
    value_template: "{{ value_json.endTime }}",
    expire_after: seconds(rule.expireAfter),
  };
}

/** On: there is no fresh record. It is there while the others are not, so it has no availability of its own. */
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
    // Said anew before it expires; when nobody says anything any more, nothing is known.
    expire_after: 2 * seconds(rule.expireAfter),
  };
}

/** `expire_after` is a whole number. */
function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
