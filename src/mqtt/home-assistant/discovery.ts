// The discovery of a system or site by its readings: an entity for each reading that it has sent.
import type { SourceName } from "../../ledger/record-id";
import type { Publication, PublishRule } from "../publications";
import { seriesTopic } from "../topics";
import { deviceId } from "./device-id";
import { availabilityOf, type Component, discoveryMessage, discoveryTopic } from "./discovery-message";
import { ENTITIES, type Entity, entityKey, entitySource } from "./entities";
import type { DeviceProfile } from "./known-devices";
import { NAMES } from "./names";

/** Where the discovery message of a device is published. */
export function configTopic(rule: PublishRule, profile: DeviceProfile): string {
  return discoveryTopic(rule, deviceId(rule.prefix, profile));
}

/** Where `online` or `offline` is published for a device. */
export function availabilityTopic({ prefix }: PublishRule, profile: DeviceProfile): string {
  return `${seriesTopic(prefix, profile)}/availability`;
}

/** Where it is published whether a device has no fresh record. */
export function staleTopic({ prefix }: PublishRule, profile: DeviceProfile): string {
  return `${seriesTopic(prefix, profile)}/stale`;
}

/** One topic per source: telemetry and meter records arrive independently and must not overwrite each other. */
export function stateTopic({ prefix }: PublishRule, profile: DeviceProfile, source: SourceName): string {
  return `${seriesTopic(prefix, profile)}/state/${source}`;
}

/** The discovery message of a device. A system is linked to its site by `via_device`. */
export function deviceConfig(rule: PublishRule, profile: DeviceProfile): Publication {
  const { siteId, systemId, siteName = siteId, model, inverterType } = profile;
  const id = deviceId(rule.prefix, profile);
  const entities = ENTITIES.filter((entity) => profile.entities.includes(entityKey(entity)));
  const sources = new Set(entities.map(entitySource));
  return discoveryMessage(rule, {
    messageId: id,
    deviceId: id,
    device: {
      name: systemId === undefined ? siteName : `${siteName} ${systemId}`,
      ...(systemId === undefined
        ? {}
        : { via_device: deviceId(rule.prefix, { siteId }), serial_number: systemId }),
      ...(model === undefined ? {} : { model }),
      ...(inverterType === undefined ? {} : { model_id: inverterType }),
    },
    availabilityTopics: [availabilityTopic(rule, profile)],
    components: {
      stale: staleSensor(rule, profile),
      ...Object.fromEntries(
        [...sources].map((source) => [`${source}_endTime`, endSensor(rule, profile, source)]),
      ),
      ...Object.fromEntries(entities.map((entity) => [entityKey(entity), sensor(rule, profile, entity)])),
    },
  });
}

function sensor(rule: PublishRule, profile: DeviceProfile, entity: Entity): Component {
  const { group, field, traits } = entity;
  return {
    platform: "sensor",
    name: entityName(rule, profile, entity),
    ...traits,
    state_topic: stateTopic(rule, profile, entitySource(entity)),
    // If a template fails, the old state stays, so check for a group that is null.
    value_template: `{{ value_json.${group}.${field} if value_json.${group} else None }}`,
    expire_after: seconds(rule.expireAfter),
  };
}

function entityName({ language }: PublishRule, { basis }: DeviceProfile, entity: Entity): string {
  const name = NAMES[language][entityKey(entity)];
  // The side is part of the name only if the system measures on both.
  const isMixed = Object.values(basis).includes("dc");
  const side = entity.basis ?? (isMixed && isMeasured(entity) ? basis[entity.group] : undefined);
  return side ? `${name} ${side.toUpperCase()}` : name;
}

/** Stored energy and percentages are the same on either side. */
function isMeasured({ traits }: Entity): boolean {
  return ["power", "energy"].includes(String(traits["device_class"]));
}

/** Shows how old the readings are, because Home Assistant uses the time of arrival. */
function endSensor(rule: PublishRule, profile: DeviceProfile, source: SourceName): Component {
  return {
    platform: "sensor",
    name: NAMES[rule.language][`${source}_endTime`],
    device_class: "timestamp",
    entity_category: "diagnostic",
    state_topic: stateTopic(rule, profile, source),
    value_template: "{{ value_json.endTime }}",
    expire_after: seconds(rule.expireAfter),
  };
}

/** On while there is no fresh record. Available whenever readings are published, whether or not the device is. */
function staleSensor(rule: PublishRule, profile: DeviceProfile): Component {
  return {
    platform: "binary_sensor",
    name: NAMES[rule.language].stale,
    device_class: "problem",
    entity_category: "diagnostic",
    state_topic: staleTopic(rule, profile),
    ...availabilityOf(rule, []),
    // Republished before it expires, so that it becomes unknown only if publishing stops.
    expire_after: 2 * seconds(rule.expireAfter),
  };
}

/** `expire_after` must be a whole number. */
function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
