// The readings of a system or site in Home Assistant: an entity for each reading that it has sent, and its last records as state.
import type { SeriesAddress, SeriesNames, SourceName } from "../../series/identity";
import { isLarge } from "../../messages/incoming";
import { sourceOf } from "../../messages/series";
import type { Basis } from "../../models/measurements";
import type { IntervalRecord } from "../../models/telemetry";
import { isServiceObject } from "../../models/service-object";
import { defined } from "../../objects";
import { shownName, shownText } from "../../shown-text";
import { MAX_RETAINED } from "../../limits";
import { MINUTE } from "../../time-units";
import { type Publication, type PublishRule, recordPublications, seriesTopic } from "../publications";
import type { Counters } from "./counters";
import {
  availabilityOf,
  type Component,
  deviceId,
  type Discovery,
  expiryOf,
  type KnownDevice,
  OFFLINE,
  ONLINE,
} from "./discovery";
import {
  ENTITIES,
  type Entity,
  entityKey,
  entitySource,
  entityState,
  entityValue,
  RARELY_SEEN,
} from "./entities";
import { NAMES } from "./names";
import { totalsComponents, type TotalsProfile, type TotalsStates } from "./totals";

export interface ReadingsProfile extends SeriesAddress, Readonly<SeriesNames> {
  /** Generation and inverter type of a system, as the site list gives them. */
  readonly model?: string;
  readonly inverterType?: string;
  /** Keys of the entities that have had a value. */
  readonly entities: readonly string[];
  /** AC or DC by group, where known. */
  readonly basis: Readonly<Record<string, Basis>>;
  /** How long its records are valid, in milliseconds, in full steps, so that it seldom changes. */
  readonly validFor?: number;
  readonly totals?: TotalsProfile;
}

/** In milliseconds. */
const VALIDITY_STEP = 15 * MINUTE;

/**
 * How long the longest of these records is valid, as a profile has it; 0 if that is no longer than `expireAfter`.
 * @param known the same of the records before: a little less is no change
 */
export function profiledValidity(
  { expireAfter }: PublishRule,
  last: readonly LastRecord[],
  known = 0,
): number {
  const longest = Math.max(0, ...last.map(({ end, validUntil = end }) => validUntil - end));
  const validity = longest > expireAfter ? Math.ceil(longest / VALIDITY_STEP) * VALIDITY_STEP : 0;
  return validity < known && known - longest < 2 * VALIDITY_STEP ? known : validity;
}

/** A record as it is kept: of a large one, only what entities show. */
export function keptRecord(record: IntervalRecord): IntervalRecord {
  if (!isLarge(record)) return record;
  const { startTime, endTime } = record;
  const kept: IntervalRecord = { startTime, endTime };
  for (const { group } of ENTITIES) {
    const shown = ENTITIES.filter((entity) => entity.group === group && record[group]);
    const fields = shown.map((entity) => [entity.field, entityValue(record, entity)]);
    if (fields.length > 0) kept[group] = Object.fromEntries(fields);
  }
  return kept;
}

/** The newest record of a series, as its state in Home Assistant. */
export interface LastRecord {
  readonly record: IntervalRecord;
  /** In milliseconds. */
  readonly end: number;
  /** Until when it is valid, if its message says so. */
  readonly validUntil?: number | undefined;
  /** Counters not to publish, as GROUP/FIELD. */
  readonly suppressed: readonly string[];
}

export interface ReadingsDevice extends KnownDevice<"readings", ReadingsProfile> {
  readonly counters?: Counters;
  /** The last live record of each series. */
  readonly last?: Readonly<Partial<Record<SourceName, LastRecord>>>;
  readonly totals?: TotalsStates;
  /** Topics of this device with a retained message on the broker. */
  readonly retained?: readonly string[];
}

/** What a message reveals about the readings of a system or site. */
export function readingsOf(
  { prefix }: PublishRule,
  profile: SeriesAddress & Partial<ReadingsProfile>,
  rest: Pick<ReadingsDevice, "counters" | "last" | "totals" | "retained"> = {},
): ReadingsDevice {
  const whole = { entities: [], basis: {}, ...profile };
  return { kind: "readings", id: deviceId(prefix, profile), profile: whole, ...rest };
}

/** Whether records may come: a device that only totals have named is neither stale nor offline. */
export function hasRecords({ profile }: Pick<ReadingsDevice, "profile">): boolean {
  return profile.validFor !== undefined || profile.totals === undefined;
}

/** Characters of the name of a site before the id of a system. */
const MAX_SITE_NAME = 60;

/** The names that a message gives its site and system. */
export function namesIn(energy: unknown): SeriesNames {
  const { siteName, systemName } = isServiceObject(energy) ? energy : {};
  const nameOf = (name: unknown): string | undefined =>
    shownName(typeof name === "string" ? name : undefined);
  return defined({ siteName: nameOf(siteName), systemName: nameOf(systemName) });
}

/** A known device with what a message adds to it. */
export function mergedReadings(known: ReadingsDevice | undefined, found: ReadingsDevice): ReadingsDevice {
  if (!known) return found;
  const [before, added] = [known.profile, found.profile];
  const profile = {
    ...before,
    ...added,
    entities: [...new Set([...before.entities, ...added.entities])],
    basis: { ...before.basis, ...added.basis },
  };
  // A service may have a thousand fields; topics beyond these are not remembered.
  const retained = [...new Set([...(known.retained ?? []), ...(found.retained ?? [])])].slice(
    0,
    MAX_RETAINED,
  );
  return { ...known, ...found, profile, retained };
}

/** Where `online` or `offline` is published for a device. */
export function availabilityTopic({ prefix }: PublishRule, address: SeriesAddress): string {
  return `${seriesTopic(prefix, address)}/availability`;
}

/** One topic per source: telemetry and meter records arrive independently and must not overwrite each other. */
export function stateTopic({ prefix }: PublishRule, address: SeriesAddress, source: SourceName): string {
  return `${seriesTopic(prefix, address)}/state/${source}`;
}

/** A system is linked to its site. */
export function readingsDiscovery(
  rule: PublishRule,
  { id, profile }: Pick<ReadingsDevice, "id" | "profile">,
): Discovery {
  const { siteId, systemId, siteName = siteId, systemName = systemId, model, inverterType } = profile;
  const entities = ENTITIES.filter((entity) => profile.entities.includes(entityKey(entity)));
  const sources = new Set(entities.map(entitySource));
  const isRead = hasRecords({ profile });
  return {
    deviceId: id,
    device: {
      // Systems of a site with a long name have different names all the same.
      name: systemId === undefined ? siteName : `${shownText(siteName, MAX_SITE_NAME)} ${systemName}`,
      serial_number: systemId,
      model,
      model_id: inverterType,
    },
    // Records name the site, too.
    parentId: isRead && systemId !== undefined ? deviceId(rule.prefix, { siteId }) : undefined,
    ...(isRead && { availabilityTopic: availabilityTopic(rule, profile) }),
    components: {
      ...(isRead && { stale: staleSensor(rule, profile) }),
      ...Object.fromEntries(
        [...sources].map((source) => [`${source}_endTime`, endSensor(rule, profile, source)]),
      ),
      ...Object.fromEntries(entities.map((entity) => [entityKey(entity), sensor(rule, profile, entity)])),
      ...Object.fromEntries(totalsComponents(rule, profile, profile.totals)),
    },
  };
}

function sensor(rule: PublishRule, profile: ReadingsProfile, entity: Entity): Component {
  const { group, field, traits } = entity;
  return {
    platform: "sensor",
    name: entityName(rule, profile, entity),
    ...traits,
    state_topic: stateTopic(rule, profile, entitySource(entity)),
    // If a template fails, the old state stays, so check for a group that is null.
    value_template: `{{ value_json.${group}.${field} if value_json.${group} else None }}`,
    expire_after: expiryOf(rule, profile.validFor),
  };
}

function entityName({ language }: PublishRule, { basis }: ReadingsProfile, entity: Entity): string {
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
function endSensor(rule: PublishRule, profile: ReadingsProfile, source: SourceName): Component {
  return {
    platform: "sensor",
    name: NAMES[rule.language][`${source}_endTime`],
    device_class: "timestamp",
    ...RARELY_SEEN,
    state_topic: stateTopic(rule, profile, source),
    value_template: "{{ value_json.endTime }}",
    expire_after: expiryOf(rule, profile.validFor),
  };
}

/** On while there is no fresh record. Available whenever readings are published, whether or not the device is. */
function staleSensor(rule: PublishRule, profile: ReadingsProfile): Component {
  return {
    platform: "binary_sensor",
    name: NAMES[rule.language].stale,
    device_class: "problem",
    entity_category: "diagnostic",
    state_topic: `${seriesTopic(rule.prefix, profile)}/stale`,
    ...availabilityOf(rule),
    // Republished before it expires, so that it becomes unknown only if publishing stops.
    expire_after: 2 * expiryOf(rule, profile.validFor),
  };
}

/**
 * The availability is retained, so that a Home Assistant that restarts knows it without waiting for the next record. Whether
 * the device is stale is not: nothing would withdraw it if Node-RED were gone.
 */
export function availabilityMessages(
  rule: PublishRule,
  device: ReadingsDevice,
  isFresh: boolean,
): Publication[] {
  const { profile } = device;
  if (!hasRecords(device)) return [];
  return [
    { topic: availabilityTopic(rule, profile), payload: isFresh ? ONLINE : OFFLINE, retain: true },
    { topic: `${seriesTopic(rule.prefix, profile)}/stale`, payload: isFresh ? "OFF" : "ON", retain: false },
  ];
}

/** The state by a record. Never retained: the broker would present an old state as a new one. */
export function readingsState(rule: PublishRule, { profile }: ReadingsDevice, last: LastRecord): Publication {
  const source = sourceOf(last.record);
  const state = entityState(last.record, source, last.end, new Set(last.suppressed));
  return { topic: stateTopic(rule, profile, source), payload: JSON.stringify(state), retain: false };
}

/** The messages that carry the fresh last records themselves. `now` in milliseconds. */
export function recordMessages(rule: PublishRule, device: ReadingsDevice, now: number): Publication[] {
  const { profile: address } = device;
  return freshRecords(rule, device, now).flatMap(({ record }) =>
    recordPublications(rule, { address, record, isLive: true }),
  );
}

/** `now` in milliseconds. */
export function freshRecords(rule: PublishRule, { last }: ReadingsDevice, now: number): LastRecord[] {
  return Object.values(last ?? {}).filter((record) => now < currentUntil(rule, record));
}

/** Until when a record counts as current. */
export function currentUntil(
  { expireAfter }: PublishRule,
  { end, validUntil = end }: Pick<LastRecord, "end" | "validUntil">,
): number {
  return Math.max(end + expireAfter, validUntil);
}
