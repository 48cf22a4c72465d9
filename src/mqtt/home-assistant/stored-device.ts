// Reads stored devices, which may be damaged.
import { isServiceObject } from "../../models/service-object";
import { SEVERITIES } from "./alerts";
import type { Device } from "./device";
import { EQUIPMENT_FIELDS } from "./equipment-reader";

/** A condition, a list whose items have a shape, or an object whose fields have shapes. */
type Shape = ((value: unknown) => boolean) | readonly [Shape] | { readonly [field: string]: Shape };

const text = (value: unknown): boolean => typeof value === "string";
const number = (value: unknown): boolean => Number.isFinite(value);
/** In milliseconds since the epoch. */
const time = (value: unknown): boolean => number(value) && !Number.isNaN(new Date(Number(value)).getTime());
const optional =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined || matches(value, shape);
const mapOf =
  (shape: Shape): Shape =>
  (value) =>
    isServiceObject(value) && Object.values(value).every((one) => matches(one, shape));
const oneOf =
  (known: readonly unknown[]): Shape =>
  (value) =>
    known.includes(value);

const OPTIONAL_TEXT = optional(text);
const SHARED = { id: text, absence: optional({ since: time, lists: number }) };
const READING = { value: number, end: number };
const FIELD_VALUE: Shape = (value) => value === null || text(value) || number(value);

const SHAPES: Readonly<Record<Device["kind"], Shape>> = {
  readings: {
    ...SHARED,
    profile: {
      siteId: text,
      systemId: OPTIONAL_TEXT,
      siteName: OPTIONAL_TEXT,
      model: OPTIONAL_TEXT,
      inverterType: OPTIONAL_TEXT,
      entities: [text],
      basis: isServiceObject,
    },
    counters: mapOf({ ...READING, peak: optional(number), doubt: optional({ ...READING, count: number }) }),
    last: optional(mapOf({ record: isServiceObject, end: time, suppressed: [text] })),
    retained: [text],
  },
  alerts: {
    ...SHARED,
    profile: { siteId: OPTIONAL_TEXT, siteName: OPTIONAL_TEXT },
    open: [{ alertKey: text, severity: oneOf(SEVERITIES), title: OPTIONAL_TEXT }],
    asOf: time,
  },
  equipment: {
    ...SHARED,
    profile: {
      siteId: text,
      systemId: OPTIONAL_TEXT,
      deviceClass: OPTIONAL_TEXT,
      key: (value) => text(value) || number(value),
      model: OPTIONAL_TEXT,
      serialNumber: OPTIONAL_TEXT,
      fields: [oneOf(EQUIPMENT_FIELDS)],
    },
    values: Object.fromEntries(EQUIPMENT_FIELDS.map((field) => [field, FIELD_VALUE])),
    asOf: time,
  },
};

/** A stored device; undefined if it is not valid. */
export function readDevice(stored: unknown): Device | undefined {
  return isDevice(stored) ? stored : undefined;
}

function isDevice(stored: unknown): stored is Device {
  return Object.entries(SHAPES).some(
    ([kind, shape]) =>
      matches(stored, { kind: (value: unknown) => value === kind }) && matches(stored, shape),
  );
}

function matches(value: unknown, shape: Shape): boolean {
  if (typeof shape === "function") return shape(value);
  if (isList(shape)) return Array.isArray(value) && value.every((item) => matches(item, shape[0]));
  return isServiceObject(value) && Object.entries(shape).every(([field, one]) => matches(value[field], one));
}

/** Array.isArray does not narrow readonly arrays. */
function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
