// A device of site info in Home Assistant, linked to its system: an entity for each field that has had a value.
import { isDeepStrictEqual } from "node:util";
import { isServiceObject } from "../../models/service-object";
import type { Publication, PublishRule } from "../publications";
import { seriesTopic, topicLevel } from "../topics";
import type { Absence } from "./absence";
import { escaped, siteDeviceId } from "./device-id";
import type { Component, Discovery } from "./discovery-message";
import { NAMES } from "./names";
import { isAbsenceOrNone, isTextOrNone, isTime } from "./stored-values";
import { DEVICE_FIELDS, type DeviceField, FIELD_NAMES } from "./device-fields";
import { type DeviceValues, NO_CLASS, type SiteDevice } from "./site-devices";

/** Plain data, stored as JSON. */
export interface DeviceFacet {
  readonly kind: "device";
  readonly profile: SiteDevice;
  readonly values: DeviceValues;
  /** When the last message arrived, in milliseconds. */
  readonly asOf: number;
  /** If the latest complete site list did not contain its system, and no details of the site have come since. */
  readonly absence?: Absence;
}

/** No escaped id contains `_n`, so a device without an id has an id of its own. */
export function deviceFacetId(prefix: string, device: SiteDevice): string {
  const { key, deviceClass = NO_CLASS } = device;
  const part = typeof key === "number" ? `_n${escaped(deviceClass)}_n${key}` : escaped(key);
  return siteDeviceId(prefix, device, part);
}

/** Adds what a message says about a device. A missing time stays the last known one. */
export function mergedDevice(known: DeviceFacet | undefined, added: DeviceFacet): DeviceFacet {
  if (!known) return added;
  const seen = [...known.profile.fields, ...added.profile.fields];
  const fields = FIELD_NAMES.filter((field) => seen.includes(field));
  const profile = { ...known.profile, ...added.profile, fields };
  const lastHeardAt = added.values.lastHeardAt ?? known.values.lastHeardAt;
  return {
    ...added,
    profile: isDeepStrictEqual(known.profile, profile) ? known.profile : profile,
    values: { ...added.values, lastHeardAt },
  };
}

export function deviceDiscovery(
  rule: PublishRule,
  device: SiteDevice,
  parentId: string | undefined,
): Discovery {
  const id = deviceFacetId(rule.prefix, device);
  const { model, serialNumber, fields } = device;
  return {
    messageId: id,
    deviceId: id,
    device: {
      name: deviceName(rule, device),
      ...(parentId === undefined ? {} : { via_device: parentId }),
      ...(model === undefined ? {} : { model }),
      ...(serialNumber === undefined ? {} : { serial_number: serialNumber }),
    },
    availabilityTopics: [],
    components: Object.fromEntries(fields.map((field) => [field, sensor(rule, device, field)])),
  };
}

/** When the state of charge becomes unknown, in milliseconds; undefined if it is. */
export function chargeUntil({ expireAfter }: PublishRule, { values, asOf }: DeviceFacet): number | undefined {
  if (values.stateOfCharge === null) return undefined;
  const heard = values.lastHeardAt === null ? asOf : Date.parse(String(values.lastHeardAt));
  return Math.min(heard, asOf) + expireAfter;
}

/** Its state. An old charge is unknown: nobody has heard from the battery since. `now` in milliseconds. */
export function deviceState(rule: PublishRule, facet: DeviceFacet, now: number): Publication {
  const { profile, values, asOf } = facet;
  const isFresh = now < (chargeUntil(rule, facet) ?? now);
  const state = {
    asOf: new Date(asOf).toISOString(),
    ...values,
    stateOfCharge: isFresh ? values.stateOfCharge : null,
  };
  return { topic: stateTopic(rule, profile), payload: JSON.stringify(state), retain: false };
}

export function isDeviceFacet(stored: unknown): stored is DeviceFacet {
  if (!isServiceObject(stored) || stored["kind"] !== "device") return false;
  const { profile, values, asOf, absence } = stored;
  if (!isServiceObject(profile) || !isServiceObject(values)) return false;
  const { siteId, systemId, deviceClass, key, model, serialNumber, fields } = profile;
  return (
    isTime(asOf) &&
    isAbsenceOrNone(absence) &&
    typeof siteId === "string" &&
    [systemId, deviceClass, model, serialNumber].every(isTextOrNone) &&
    (typeof key === "string" || typeof key === "number") &&
    Array.isArray(fields) &&
    fields.every((field) => FIELD_NAMES.includes(field as DeviceField)) &&
    FIELD_NAMES.every((field) => isFieldValue(values[field]))
  );
}

/** The class in words, followed by what tells the device from others of its class. */
function deviceName({ language }: PublishRule, { deviceClass, key, serialNumber }: SiteDevice): string {
  const words: Readonly<Record<string, string>> = NAMES[language];
  const name = words[`device_${deviceClass ?? ""}`] ?? deviceClass ?? NAMES[language].device;
  return `${name} ${serialNumber ?? key}`;
}

function sensor(rule: PublishRule, device: SiteDevice, field: DeviceField): Component {
  return {
    platform: "sensor",
    name: NAMES[rule.language][`device_${field}`],
    ...DEVICE_FIELDS[field].traits,
    state_topic: stateTopic(rule, device),
    value_template: `{{ value_json.${field} }}`,
    ...(field === "stateOfCharge" ? { expire_after: Math.ceil(rule.expireAfter / 1000) } : {}),
  };
}

/** A device without an id has a level more, so that its topic is that of no other. */
function stateTopic({ prefix }: PublishRule, device: SiteDevice): string {
  const { key, deviceClass = NO_CLASS } = device;
  const levels = typeof key === "number" ? [deviceClass, String(key)] : [key];
  return [`${seriesTopic(prefix, device)}/devices`, ...levels.map(topicLevel), "state"].join("/");
}

function isFieldValue(value: unknown): boolean {
  return value === null || typeof value === "string" || Number.isFinite(value);
}
