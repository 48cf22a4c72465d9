// The devices of a site's details in Home Assistant, each with an entity for each field that has had a value.
import { assertSendable } from "../../loop-turns";
import { isPlausible } from "../../models/measurements";
import { firstText } from "../../models/service-object";
import {
  deviceClassOf,
  devicesBySystem,
  type Device as Listed,
  type Site,
  siteIdOf,
  stateFieldOf,
} from "../../models/site";
import { parseLenientTime } from "../../models/time";
import { byName, defined } from "../../objects";
import { decimalOf, isId } from "../../settings/rules";
import { shownName } from "../../shown-text";
import { isoTime } from "../../time-units";
import type { PublishRule } from "../publications";
import { type Find, type Found, NO_CLASS, type State } from "./device";
import {
  DIAGNOSTIC,
  type Entity,
  fieldEntity,
  PERCENTAGE,
  RARELY_SEEN,
  stateText,
  type Traits,
} from "./entities";

const STATE = "state";

/** Null if there is no value, or none that makes sense. */
type FieldValue = string | number | null;

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
} as const satisfies Record<string, { traits: Traits; read: (value: unknown) => FieldValue }>;

type FieldName = keyof typeof FIELDS;

type Values = Record<FieldName, FieldValue>;

const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

export const EQUIPMENT: readonly Entity[] = FIELD_NAMES.map((field) => ({
  ...fieldEntity(`device_${field}`, STATE, field, FIELDS[field].traits),
  key: field,
  ...(field === "stateOfCharge" && { expires: 1 }),
}));

const ID_FIELDS = ["deviceId", "id", "deviceUuid", "uuid", "guid"];
const SERIAL_FIELDS = ["serialNumber", "deviceSerialNumber", "deviceSerial", "serial"];
const MODEL_FIELDS = ["model", "modelName", "deviceModel", "productName", "modelNumber", "partNumber"];

/**
 * What the details of a site reveal of the devices of every system, then of those that belong to none. Throws InputError if there
 * are too many. `now` in milliseconds.
 */
export function* equipmentFound(rule: PublishRule, find: Find, site: Site, now: number): Iterable<Found> {
  const siteId = siteIdOf(site);
  const bySystem = devicesBySystem(site);
  assertSendable([...bySystem.values()].flat().length);
  for (const [systemId, listed] of bySystem) {
    const counts = new Map<string, number>();
    const ids = new Set<string>();
    for (const one of listed) {
      const deviceClass = shownName(deviceClassOf(one));
      const count = (counts.get(deviceClass ?? NO_CLASS) ?? 0) + 1;
      const id = idOf(one.device);
      if (id === undefined) counts.set(deviceClass ?? NO_CLASS, count);
      // A site may list it beside its system, too.
      else if (ids.has(id)) continue;
      else ids.add(id);
      const model = shownName(firstText(one.device, MODEL_FIELDS));
      const serialNumber = shownName(firstText(one.device, SERIAL_FIELDS));
      const values = valuesOf(one.device);
      const entities = FIELD_NAMES.filter((field) => values[field] !== null);
      const place = defined({ siteId, systemId, deviceClass, key: id ?? count });
      // Without a time, it was last heard when it was by the details before.
      values.lastHeardAt ??= textOf(find(place)?.states[STATE]?.payload["lastHeardAt"]);
      const profile = { ...place, ...defined({ model, serialNumber }), entities };
      yield { profile, states: { [STATE]: stateOf(rule, values, now) } };
    }
  }
}

/** An old charge is unknown: nothing has been heard from the battery since. */
function stateOf({ expireAfter }: PublishRule, values: Values, now: number): State {
  const payload = { asOf: isoTime(now), ...values };
  if (values.stateOfCharge === null) return { payload };
  const heard = values.lastHeardAt === null ? now : Date.parse(String(values.lastHeardAt));
  return { payload, until: Math.min(heard, now) + expireAfter, afterwards: { stateOfCharge: null } };
}

/** Ids may be numbers. A serial number is as good as an id. */
function idOf(device: Listed): string | undefined {
  return [...ID_FIELDS, ...SERIAL_FIELDS]
    .map((field) => (typeof device[field] === "number" ? String(device[field]) : device[field]))
    .find(isId);
}

/** Null where a field has no value, or an impossible one. */
function valuesOf(device: Listed): Values {
  return byName(FIELD_NAMES, (field): FieldValue => {
    const value = stateFieldOf(device, field);
    return isPlausible(field, value) ? FIELDS[field].read(value) : null;
  });
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
