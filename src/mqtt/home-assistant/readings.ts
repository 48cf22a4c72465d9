// The readings of a record in Home Assistant: their entities, what they reveal of their system and site, and the record as a state.
import { type Basis, finiteOf, isPlausible, RECORD_GROUPS } from "../../models/measurements";
import { isLarge, isServiceObject, objectOf } from "../../models/service-object";
import type { IntervalRecord, SourceName } from "../../models/telemetry";
import { defined, mapValues } from "../../objects";
import { namesIn } from "../../messages/reader";
import type { SeriesAddress } from "../../series/identity";
import { DAY, isAhead, isoTime, MINUTE } from "../../time-units";
import { type IncomingRecord, type Publication, type PublishRule, recordPublications } from "../publications";
import { checkCounters } from "./counters";
import { type Device, type Found, isCurrent, STALE, type State } from "./device";
import type { DeviceTable } from "./device-table";
import {
  DIAGNOSTIC,
  type Entity,
  fieldEntity,
  type NameKey,
  PERCENTAGE,
  RARELY_SEEN,
  stateText,
  type Traits,
} from "./entities";

/**
 * What the names of states begin with. Readings have one state per source: telemetry and meter records arrive independently and
 * must not overwrite each other.
 */
export const STATE = "state/";

interface ReadingEntity extends Entity {
  readonly group: string;
  readonly field: string;
  readonly type: "number" | "string";
}

const WHOLE = { suggested_display_precision: 0 };
/** Added by Home Assistant, but switched off until a user wants it. */
const RARELY_USED = { enabled_by_default: false };

const POWER = { device_class: "power", state_class: "measurement", unit_of_measurement: "W", ...WHOLE };
/** Counters can be reset, and Home Assistant would count a reset of a `total` as a huge negative amount. */
const COUNTER = {
  device_class: "energy",
  state_class: "total_increasing",
  unit_of_measurement: "Wh",
  ...WHOLE,
};
/** Home Assistant rejects `energy` with `measurement`. */
const STORED = {
  device_class: "energy_storage",
  state_class: "measurement",
  unit_of_measurement: "Wh",
  ...WHOLE,
};

function readings(group: string, fields: Record<string, Traits>, basis?: Basis): ReadingEntity[] {
  return Object.entries(fields).map(([field, traits]) => ({
    key: `${group}_${field}`,
    name: `${group}_${field}` as NameKey,
    // Only records of the meter have its group.
    state: STATE + (group === "rgm" ? "rgm" : "telemetry"),
    group,
    field,
    type: field === "connectivityStatus" ? "string" : "number",
    traits: {
      ...traits,
      // If a template fails, the old state stays, so check for a group that is null.
      value_template: `{{ value_json.${group}.${field} if value_json.${group} else None }}`,
    },
    ...(basis && { basis }),
    expires: 1,
  }));
}

const EXCHANGE = { power: POWER, lifetimeImportedEnergy: COUNTER, lifetimeExportedEnergy: COUNTER };

/** The energy of a single interval has no entity: it would be counted again next to the lifetime counters. */
export const READINGS: readonly ReadingEntity[] = [
  ...readings("grid", {
    power: { ...POWER, icon: "mdi:transmission-tower" },
    lifetimeImportedEnergy: { ...COUNTER, icon: "mdi:transmission-tower-export" },
    lifetimeExportedEnergy: { ...COUNTER, icon: "mdi:transmission-tower-import" },
    // Not an enum: the service may send values that this version does not know.
    connectivityStatus: { ...DIAGNOSTIC, icon: "mdi:power-plug" },
  }),
  ...readings("solar", {
    power: { ...POWER, icon: "mdi:solar-power" },
    lifetimeEnergy: { ...COUNTER, icon: "mdi:solar-power" },
  }),
  ...readings("consumption", {
    power: { ...POWER, icon: "mdi:home-lightning-bolt" },
    lifetimeEnergy: { ...COUNTER, icon: "mdi:home-lightning-bolt" },
  }),
  ...readings("storage", {
    power: { ...POWER, icon: "mdi:home-battery" },
    lifetimeDischargeEnergy: { ...COUNTER, icon: "mdi:battery-arrow-down" },
    lifetimeChargeEnergy: { ...COUNTER, icon: "mdi:battery-arrow-up" },
    // The class brings an icon that shows the charge.
    stateOfCharge: { device_class: "battery", ...PERCENTAGE },
    remainingEnergy: STORED,
    totalEnergy: { ...STORED, ...DIAGNOSTIC },
    minimumReserve: { ...PERCENTAGE, ...DIAGNOSTIC, icon: "mdi:battery-lock" },
  }),
  ...readings("inverter", { ...EXCHANGE, lifetimeImportedEnergy: { ...COUNTER, ...RARELY_USED } }, "ac"),
  ...readings("rgm", EXCHANGE, "ac"),
];

/** They show how old the readings are, because Home Assistant uses the time of arrival. */
export const RECORD_ENDS: readonly Entity[] = (["telemetry", "rgm"] as const).map((source) => ({
  ...fieldEntity(`${source}_endTime`, STATE + source, "endTime", {
    device_class: "timestamp",
    ...RARELY_SEEN,
  }),
  group: "",
  expires: 1,
}));

type JudgedRecord = IncomingRecord & { validUntil: number };

/**
 * A record as it is published now: valid for as long as its message says or any record is. A live one that has expired is
 * backlog: Home Assistant would take the time of its arrival for the time of measurement. `now` in milliseconds.
 */
export function judged(rule: PublishRule, record: IncomingRecord, now: number): JudgedRecord {
  // A record in progress must not make later ones look old.
  const end = Math.min(record.end, now);
  // Whatever a message says, nothing looks fresh for longer.
  const said = Math.min(record.validUntil ?? end, end + MAX_VALIDITY);
  const validUntil = Math.max(said, end + rule.expireAfter);
  return { ...record, end, isLive: record.isLive && now <= validUntil, validUntil };
}

/** What a record reveals of its site, which is there for as long as any of its systems is, and of its system. `now` in milliseconds. */
export function recordFound(
  rule: PublishRule,
  table: DeviceTable,
  incoming: JudgedRecord,
  now: number,
): Found[] {
  const { address, record, isLive, basis, end, validUntil: until } = incoming;
  const known = table.find(address);
  // Records of the meter have its group alone; what does not apply may be null in any record.
  const isOfMeter = "rgm" in record && RECORD_GROUPS.every((group) => group === "rgm" || !record[group]);
  const source = isOfMeter ? "rgm" : "telemetry";
  const name = STATE + source;
  const otherName = STATE + (source === "rgm" ? "telemetry" : "rgm");
  const { [name]: last, [otherName]: other } = known?.states ?? {};
  const { end: lastEnd = end } = last ?? {};
  // What is known would look newer than everything that comes.
  const isUndated = isAhead(lastEnd, now);
  const before = (!isUndated && known?.counters) || {};
  const { counters, suppressed } = isLive
    ? checkCounters(before, incoming)
    : { counters: before, suppressed: new Set<string>() };
  // The newest record of its series is the state of the device.
  const isNewest = isLive && now < until && (isUndated || end >= lastEnd);
  // It may be valid for less time than the one before it.
  const freshUntil = Math.max(until, (!isUndated && other?.until) || 0);
  const states: Record<string, State> = {};
  if (isNewest) {
    const payload = entityState(record, source, end, suppressed);
    // Records of the other source keep the device online, and Home Assistant counts from when it was sent.
    const ending = other && { afterwards: mapValues(payload, () => null) };
    // Other nodes may change what came with a message.
    const copy = !isLarge(record) && { record: structuredClone(record) };
    states[name] = { payload, end, until, ...ending, ...copy };
    if (other && !other.afterwards)
      states[otherName] = { ...other, afterwards: mapValues(other.payload, () => null) };
  }
  const shown = READINGS.filter((entity) => entity.state === name && entityValue(record, entity) !== null);
  const keys = shown.map(({ key }) => key);
  const entities = [STALE.key, ...(keys.length > 0 ? [`${source}_endTime`] : []), ...keys];
  const validFor = profiledValidity(rule, { ...known?.states, ...states }, known?.profile.validFor);
  const names = namesIn(incoming.energy);
  const profile = { ...address, ...names, entities, basis, validFor };
  const own = { profile, counters, states, ...(isNewest && { freshUntil }) };
  const { siteId, systemId } = address;
  if (systemId === undefined) return [own];
  const site = table.find({ siteId });
  const longest = Math.max(site?.profile.validFor ?? 0, validFor);
  const ofSite = defined({ siteId, siteName: names.siteName, validFor: longest });
  const isShorter = isNewest && freshUntil < (known?.freshUntil ?? 0);
  const others = isShorter ? otherSystems(table, address) : [site];
  const ofAny = isUndated ? [] : others.map((one) => one?.freshUntil ?? 0);
  const freshest = isNewest && { freshUntil: Math.max(freshUntil, ...ofAny) };
  return [{ profile: { ...ofSite, entities: [STALE.key] }, ...freshest }, own];
}

function otherSystems({ devices }: DeviceTable, { siteId, systemId }: SeriesAddress): Device[] {
  const isOther = ({ profile }: Device): boolean =>
    profile.siteId === siteId && ![undefined, systemId].includes(profile.systemId);
  return [...devices.values()].filter(isOther);
}

/** In milliseconds. */
const VALIDITY_STEP = 15 * MINUTE;
/** A week, as the longest maximum age: Home Assistant cannot add any time to the present. */
const MAX_VALIDITY = 7 * DAY;

/**
 * How long the longest of these records is valid, as a profile has it; 0 if that is no longer than `expireAfter`.
 * @param known the same of the records before: a little less is no change
 */
function profiledValidity({ expireAfter }: PublishRule, states: Device["states"], known = 0): number {
  const validities = Object.values(states).map(({ end = 0, until = 0 }) => (end === 0 ? 0 : until - end));
  const longest = Math.min(Math.max(0, ...validities), MAX_VALIDITY);
  const validity = longest > expireAfter ? Math.ceil(longest / VALIDITY_STEP) * VALIDITY_STEP : 0;
  return validity < known && known - longest < 2 * VALIDITY_STEP ? known : validity;
}

/** The messages that carry the last records of a device themselves, while they are current. `now` as for `isCurrent`. */
export function recordMessages(
  rule: PublishRule,
  { profile: { siteId = "", systemId }, states }: Device,
  now: number | undefined,
): Publication[] {
  const address = { siteId, systemId };
  return Object.values(states).flatMap((state) => {
    const { record } = state;
    return record && isCurrent(state, now) ? recordPublications(rule, { address, record, isLive: true }) : [];
  });
}

/**
 * The value of an entity in a record, a text of at most 255 characters. Null if it is missing, has another type, or is a
 * percentage outside 0 to 100.
 */
export function entityValue(record: IntervalRecord, { group, field, type }: ReadingEntity): unknown {
  const value = objectOf(record[group])[field];
  if (typeof value !== type) return null;
  if (typeof value === "string") return stateText(value);
  return isPlausible(field, value) ? finiteOf(value) : null;
}

/**
 * Holds every field that has an entity. A suppressed counter is null, and so is a group that the record does not have.
 * `end` of the record in milliseconds, `suppressed` as GROUP/FIELD.
 */
export function entityState(
  record: IntervalRecord,
  source: SourceName,
  end: number,
  suppressed: ReadonlySet<string>,
): Record<string, unknown> {
  const groups: Record<string, Record<string, unknown> | null> = {};
  const name = STATE + source;
  for (const entity of READINGS) {
    const { group, field, state } = entity;
    if (state !== name) continue;
    const fields = (groups[group] ??= isServiceObject(record[group]) ? {} : null);
    if (fields) fields[field] = suppressed.has(`${group}/${field}`) ? null : entityValue(record, entity);
  }
  return { endTime: isoTime(end), ...groups };
}
