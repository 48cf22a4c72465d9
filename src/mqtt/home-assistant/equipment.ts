// The devices of a site's details in Home Assistant, each linked to its system: an entity for each field that has had a value.
import { assertSendable } from "../../loop-turns";
import type { SeriesAddress } from "../../series/identity";
import { decimalOf, isPlausible } from "../../models/measurements";
import { firstText } from "../../models/service-object";
import {
  type Device,
  deviceClassOf,
  devicesBySystem,
  deviceStateOf,
  type Site,
  siteIdOf,
} from "../../models/site";
import { parseLenientTime } from "../../models/time";
import { defined } from "../../objects";
import { isId } from "../../settings/rules";
import { shownName } from "../../shown-text";
import { type Publication, type PublishRule, seriesTopic, topicLevel } from "../publications";
import {
  type Component,
  stateText,
  deviceId,
  type Discovery,
  escaped,
  expiryOf,
  type KnownDevice,
} from "./discovery";
import { DIAGNOSTIC, PERCENTAGE, RARELY_SEEN } from "./entities";
import { NAMES } from "./names";

export interface EquipmentProfile extends SeriesAddress {
  /** In capitals if it is a known one. */
  readonly deviceClass?: string;
  /** Its id or, if it has none, its number among the devices of its class that have none. */
  readonly key: string | number;
  readonly model?: string;
  readonly serialNumber?: string;
  /** The fields that have had a value. */
  readonly fields: readonly EquipmentField[];
}

/** Null if there is no value, or none that makes sense. */
type FieldValue = string | number | null;

type EquipmentValues = Readonly<Record<EquipmentField, FieldValue>>;

export interface EquipmentDevice extends KnownDevice<"equipment", EquipmentProfile> {
  readonly values: EquipmentValues;
  /** When the last message arrived, in milliseconds. */
  readonly asOf: number;
}

/** Stands for the class where there is none. */
const NO_CLASS = "DEVICE";

interface Field {
  /** Fields of the discovery message. */
  traits: Readonly<Record<string, string | number | boolean>>;
  read: (value: unknown) => FieldValue;
}

/** The state fields of a device (service interface 2.4). Texts may be ones that this version does not know, so none is an enum. */
const FIELDS = {
  stateOfCharge: { traits: { device_class: "battery", ...PERCENTAGE }, read: decimalOf },
  stateOfHealth: { traits: { ...PERCENTAGE, ...DIAGNOSTIC, icon: "mdi:battery-heart" }, read: decimalOf },
  moduleCount: {
    traits: { ...RARELY_SEEN, suggested_display_precision: 0, icon: "mdi:counter" },
    read: decimalOf,
  },
  lastHeardAt: { traits: { device_class: "timestamp", ...DIAGNOSTIC }, read: timeOf },
  deviceState: { traits: { ...DIAGNOSTIC, icon: "mdi:state-machine" }, read: textOf },
  enabledState: { traits: { ...DIAGNOSTIC, icon: "mdi:toggle-switch" }, read: textOf },
  highestAlertSeverity: { traits: { ...DIAGNOSTIC, icon: "mdi:alert" }, read: textOf },
} as const satisfies Record<string, Field>;

type EquipmentField = keyof typeof FIELDS;

/** In the order in which Home Assistant lists them. */
export const EQUIPMENT_FIELDS = Object.keys(FIELDS) as EquipmentField[];

const ID_FIELDS = ["deviceId", "id", "deviceUuid", "uuid", "guid"];
const SERIAL_FIELDS = ["serialNumber", "deviceSerialNumber", "deviceSerial", "serial"];
const MODEL_FIELDS = ["model", "modelName", "deviceModel", "productName", "modelNumber", "partNumber"];

/**
 * The devices of every system, then those that belong to none. Throws InputError if there are too many. `asOf`: now, in
 * milliseconds.
 */
export function* equipmentOf({ prefix }: PublishRule, site: Site, asOf: number): Iterable<EquipmentDevice> {
  const siteId = siteIdOf(site);
  const devices = [...devicesBySystem(site)].flatMap(([systemId, listed]) =>
    listed.map((one) => ({ one, address: defined({ siteId, systemId }) })),
  );
  assertSendable(devices.length);
  const counts = new Map<string, number>();
  for (const { one, address } of devices) {
    const { device } = one;
    const deviceClass = shownName(deviceClassOf(one));
    const values = valuesOf(device);
    let key: string | number | undefined = idOf(device);
    if (key === undefined) {
      const series = JSON.stringify([address, deviceClass ?? NO_CLASS]);
      key = (counts.get(series) ?? 0) + 1;
      counts.set(series, key);
    }
    const model = shownName(firstText(device, MODEL_FIELDS));
    const serialNumber = shownName(firstText(device, SERIAL_FIELDS));
    const fields = EQUIPMENT_FIELDS.filter((field) => values[field] !== null);
    const profile = { ...address, ...defined({ deviceClass, model, serialNumber }), key, fields };
    yield { kind: "equipment", id: equipmentId(prefix, profile), profile, values, asOf };
  }
}

/** Ids may be numbers. A serial number is as good as an id. */
function idOf(device: Device): string | undefined {
  return [...ID_FIELDS, ...SERIAL_FIELDS]
    .map((field) => device[field])
    .map((value) => (typeof value === "number" ? String(value) : value))
    .find(isId);
}

/** Null where a field has no value, or an impossible one. */
function valuesOf(device: Device): EquipmentValues {
  const state = deviceStateOf(device);
  const values = EQUIPMENT_FIELDS.map((field) => {
    const value = state[field];
    return [field, isPlausible(field, value) ? FIELDS[field].read(value) : null];
  });
  return Object.fromEntries(values) as EquipmentValues;
}

/** As ISO 8601 in UTC. Null for one that no Date can hold. */
function timeOf(value: unknown): string | null {
  const read = new Date(parseLenientTime(value) ?? Number.NaN);
  return Number.isNaN(read.getTime()) ? null : read.toISOString();
}

function textOf(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" ? stateText(value) : null;
}

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
  const className =
    names[`device_${deviceClass ?? ""}`] ?? readableClass(deviceClass) ?? NAMES[rule.language].device;
  return {
    deviceId: id,
    device: { name: `${className} ${serialNumber ?? key}`, model, serial_number: serialNumber },
    parentId,
    components: Object.fromEntries(fields.map((field) => [field, sensor(rule, profile, field)])),
  };
}

/** `PC2_CONTROLLER` as `PC2 controller`; what is not in capitals is kept. */
function readableClass(deviceClass: string | undefined): string | undefined {
  if (deviceClass === undefined || !/^[A-Z0-9_]*[A-Z][A-Z0-9_]*$/.test(deviceClass)) return deviceClass;
  const words = deviceClass.split("_").filter((word) => word !== "");
  const text = words.map((word) => (/\d/.test(word) ? word : word.toLowerCase())).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
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
    ...FIELDS[field].traits,
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
