// Reads the devices in a site's details for Home Assistant: which they are, and the state of each.
import type { SeriesAddress } from "../../ledger/record-id";
import {
  type Device,
  deviceClassOf,
  devicesBySystem,
  deviceStateOf,
  type Site,
  siteIdOf,
} from "../../models/site";
import { firstText } from "../../models/service-object";
import { isId } from "../../settings/id";
import { type DeviceField, FIELD_NAMES, type FieldValue, fieldValue } from "./device-fields";
import { cut } from "./discovery-message";

/** What the discovery of a device depends on. */
export interface SiteDevice extends SeriesAddress {
  /** In capitals if it is a known one. */
  readonly deviceClass?: string;
  /** Its id or, if it has none, its number among the devices of its class that have none. */
  readonly key: string | number;
  readonly model?: string;
  readonly serialNumber?: string;
  /** The fields that have had a value. */
  readonly fields: readonly DeviceField[];
}

export type DeviceValues = Readonly<Record<DeviceField, FieldValue>>;

/** Stands for the class where there is none. */
export const NO_CLASS = "DEVICE";

const ID_FIELDS = ["deviceId", "id", "deviceUuid", "uuid", "guid"];
const SERIAL_FIELDS = ["serialNumber", "deviceSerialNumber", "deviceSerial", "serial"];
const MODEL_FIELDS = ["model", "modelName", "deviceModel", "productName", "modelNumber", "partNumber"];

/** The devices of every system, then those that belong to none. */
export function siteDevices(site: Site): { profile: SiteDevice; values: DeviceValues }[] {
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
      ...textOf(device, "model", MODEL_FIELDS),
      ...textOf(device, "serialNumber", SERIAL_FIELDS),
      fields: FIELD_NAMES.filter((field) => values[field] !== null),
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

function textOf(device: Device, name: "model" | "serialNumber", fields: string[]): { [name]?: string } {
  const text = firstText(device, fields);
  return text === undefined ? {} : { [name]: cut(text) };
}

function valuesOf(device: Device): DeviceValues {
  const state = deviceStateOf(device);
  const values = FIELD_NAMES.map((field) => [field, fieldValue(field, state[field])]);
  return Object.fromEntries(values) as DeviceValues;
}
