// Reads the devices in a site's details for Home Assistant: which they are, and the state of each.
import type { SeriesAddress } from "../../ledger/record-id";
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
import { parseServiceTime } from "../../models/time";
import { isId } from "../../settings/rules";
import { cut } from "./discovery";

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

export type EquipmentValues = Readonly<Record<EquipmentField, FieldValue>>;

/** Stands for the class where there is none. */
export const NO_CLASS = "DEVICE";

/** Maps the state fields of a device (service interface 2.4) to what is shown. */
const READERS = {
  stateOfCharge: decimalOf,
  stateOfHealth: decimalOf,
  moduleCount: decimalOf,
  lastHeardAt: timeOf,
  deviceState: textOf,
  enabledState: textOf,
  highestAlertSeverity: textOf,
} as const satisfies Record<string, (value: unknown) => FieldValue>;

export type EquipmentField = keyof typeof READERS;

/** In the order in which Home Assistant lists them. */
export const EQUIPMENT_FIELDS = Object.keys(READERS) as EquipmentField[];

const ID_FIELDS = ["deviceId", "id", "deviceUuid", "uuid", "guid"];
const SERIAL_FIELDS = ["serialNumber", "deviceSerialNumber", "deviceSerial", "serial"];
const MODEL_FIELDS = ["model", "modelName", "deviceModel", "productName", "modelNumber", "partNumber"];

/** The devices of every system, then those that belong to none. */
export function equipmentOf(site: Site): { profile: EquipmentProfile; values: EquipmentValues }[] {
  const siteId = siteIdOf(site);
  const devices = [...devicesBySystem(site)].flatMap(([systemId, listed]) => {
    const address = systemId === undefined ? { siteId } : { siteId, systemId };
    return listed.map((one) => ({ one, address }));
  });
  const counts = new Map<string, number>();
  return devices.map(({ one, address }) => {
    const { device } = one;
    const deviceClass = deviceClassOf(one);
    const values = valuesOf(device);
    const nextNumber = (): number => {
      const series = JSON.stringify([address, deviceClass ?? NO_CLASS]);
      counts.set(series, (counts.get(series) ?? 0) + 1);
      return counts.get(series) ?? 1;
    };
    const profile = {
      ...address,
      ...(deviceClass === undefined ? {} : { deviceClass: cut(deviceClass) }),
      key: idOf(device) ?? nextNumber(),
      ...namedText(device, "model", MODEL_FIELDS),
      ...namedText(device, "serialNumber", SERIAL_FIELDS),
      fields: EQUIPMENT_FIELDS.filter((field) => values[field] !== null),
    };
    return { profile, values };
  });
}

/** Ids may be numbers. A serial number is as good as an id. */
function idOf(device: Device): string | undefined {
  return [...ID_FIELDS, ...SERIAL_FIELDS]
    .map((field) => device[field])
    .map((value) => (typeof value === "number" ? String(value) : value))
    .find(isId);
}

function namedText(device: Device, name: "model" | "serialNumber", fields: string[]): { [name]?: string } {
  const text = firstText(device, fields);
  return text === undefined ? {} : { [name]: cut(text) };
}

/** Null where a field has no value, or an impossible one. */
function valuesOf(device: Device): EquipmentValues {
  const state = deviceStateOf(device);
  const values = EQUIPMENT_FIELDS.map((field) => {
    const value = state[field];
    return [field, isPlausible(field, value) ? READERS[field](value) : null];
  });
  return Object.fromEntries(values) as EquipmentValues;
}

/** As ISO 8601 in UTC. */
function timeOf(value: unknown): string | null {
  const read = parseServiceTime(value);
  return read === undefined ? null : new Date(read).toISOString();
}

function textOf(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" ? cut(value) : null;
}
