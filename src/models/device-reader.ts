// Reads a device (service interface 2.4). Its field names are not specified, so it tries every plausible one.
import { firstText, isServiceObject } from "./service-object";
import type { Device, ServiceObject } from "./site";

const KNOWN_CLASSES: readonly string[] = ["GATEWAY", "INVERTER", "BATTERY", "PVLINK", "METER"];
const CLASS_FIELDS = ["deviceClass", "class", "deviceType", "type", "category", "kind"];
const LIST_FIELDS = ["devices", "deviceList", "equipment", "components"];

/** Fields of a device's state that may be directly in the device. */
const STATE_FIELDS = [
  "lastHeardAt",
  "highestAlertSeverity",
  "stateOfCharge",
  "stateOfHealth",
  "moduleCount",
  "deviceState",
  "enabledState",
];

/** Fields that may hold the state as a nested object. */
const NESTED_STATES = ["state", "status", "deviceState"];

/** A device with the name of the group that lists it ("" for none). */
export interface GroupedDevice {
  device: Device;
  group: string;
}

/** The devices that a site or system lists itself. */
export function groupedDevices(owner: ServiceObject): GroupedDevice[] {
  for (const field of LIST_FIELDS) {
    const list = owner[field];
    if (Array.isArray(list)) return inGroup("", list);
    if (isServiceObject(list)) return Object.entries(list).flatMap(([group, value]) => inGroup(group, value));
  }
  return [];
}

function inGroup(group: string, list: unknown): GroupedDevice[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isServiceObject).map((device) => ({ device, group }));
}

/**
 * The class of a device: in capitals if it is a known one, otherwise as the service spells it. If no usual field has one,
 * any field that equals a known class counts; a name such as `Meter` does not.
 */
export function deviceClassOf(device: Device): string | undefined {
  for (const field of CLASS_FIELDS) {
    const known = knownClassOf(device[field]);
    if (known !== undefined) return known;
  }
  const named = firstText(device, CLASS_FIELDS);
  return named ?? KNOWN_CLASSES.find((known) => Object.values(device).includes(known));
}

/** The known class that a text names, ignoring case, also in the plural. */
export function knownClassOf(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  const singular = name.trim().toUpperCase().replace(/IES$/, "Y").replace(/S$/, "");
  return KNOWN_CLASSES.find((known) => known === singular);
}

/** The state of a device, merged from flat and nested fields; null stays null. */
export function deviceStateOf(device: Device): ServiceObject {
  const state: ServiceObject = {};
  for (const field of STATE_FIELDS) {
    if (device[field] !== undefined && !isServiceObject(device[field])) state[field] = device[field];
  }
  for (const field of NESTED_STATES) {
    const nested = device[field];
    if (!isServiceObject(nested)) continue;
    for (const [name, value] of Object.entries(nested)) state[name] = value ?? state[name] ?? null;
  }
  return state;
}
