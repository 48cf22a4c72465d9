// Maps the state fields of a device (service interface 2.4) to Home Assistant entities.
import { decimalOf, isPlausible } from "../../models/measurements";
import { parseServiceTime } from "../../models/time";
import { cut } from "./discovery-message";

/** Null if there is no value, or none that makes sense. */
export type FieldValue = string | number | null;

interface Field {
  /** Fields of the discovery message. */
  traits: Readonly<Record<string, string | number>>;
  read: (value: unknown) => FieldValue;
}

const DIAGNOSTIC = { entity_category: "diagnostic" };
const PERCENTAGE = { state_class: "measurement", unit_of_measurement: "%" };

/** The service may send texts that this version does not know, so none of them is an enum. */
export const DEVICE_FIELDS = {
  stateOfCharge: {
    traits: { device_class: "battery", ...PERCENTAGE, suggested_display_precision: 1 },
    read: decimalOf,
  },
  stateOfHealth: {
    traits: { ...PERCENTAGE, ...DIAGNOSTIC, suggested_display_precision: 1, icon: "mdi:battery-heart" },
    read: decimalOf,
  },
  moduleCount: {
    traits: { ...DIAGNOSTIC, suggested_display_precision: 0, icon: "mdi:counter" },
    read: decimalOf,
  },
  lastHeardAt: { traits: { device_class: "timestamp", ...DIAGNOSTIC }, read: time },
  deviceState: { traits: { ...DIAGNOSTIC, icon: "mdi:state-machine" }, read: text },
  enabledState: { traits: { ...DIAGNOSTIC, icon: "mdi:toggle-switch" }, read: text },
  highestAlertSeverity: { traits: { ...DIAGNOSTIC, icon: "mdi:alert" }, read: text },
} as const satisfies Record<string, Field>;

export type DeviceField = keyof typeof DEVICE_FIELDS;

/** In the order in which Home Assistant lists them. */
export const FIELD_NAMES = Object.keys(DEVICE_FIELDS) as DeviceField[];

/** The value of a field to show; null if it has none, or an impossible one. */
export function fieldValue(field: DeviceField, value: unknown): FieldValue {
  return isPlausible(field, value) ? DEVICE_FIELDS[field].read(value) : null;
}

/** As ISO 8601 in UTC. */
function time(value: unknown): string | null {
  const read = parseServiceTime(value);
  return read === undefined ? null : new Date(read).toISOString();
}

function text(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" ? cut(value) : null;
}
