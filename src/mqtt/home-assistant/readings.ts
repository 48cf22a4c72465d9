// The readings of a record in Home Assistant: what they reveal of their system and site, and the record as a state.
import { isLarge } from "../../messages/incoming";
import type { ServiceObject } from "../../models/service-object";
import { defined } from "../../objects";
import type { SeriesNames } from "../../series/identity";
import { isAhead } from "../../service-time";
import { shownName } from "../../shown-text";
import { DAY, MINUTE } from "../../time-units";
import { type IncomingRecord, type Publication, type PublishRule, recordPublications } from "../publications";
import { checkCounters } from "./counters";
import { type Device, type Find, type Found, type State } from "./device";
import { entityState, entityValue, READINGS, STALE, STATE } from "./entities";

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
export function recordFound(rule: PublishRule, find: Find, incoming: JudgedRecord, now: number): Found[] {
  const { address, record, isLive, basis, end, validUntil: until } = incoming;
  const known = find(address);
  // Only records of the meter have its group.
  const source = "rgm" in record ? "rgm" : "telemetry";
  const name = STATE + source;
  const { end: lastEnd = end } = known?.states[name] ?? {};
  // What is known would look newer than everything that comes.
  const isUndated = isAhead(lastEnd, now);
  const before = (!isUndated && known?.counters) || {};
  const { counters, suppressed } = isLive
    ? checkCounters(before, incoming)
    : { counters: before, suppressed: [] };
  // The newest record of its series is the state of the device.
  const isNewest = isLive && now < until && (isUndated || end >= lastEnd);
  const freshness = (device: Device | undefined): Pick<Device, "freshUntil"> =>
    isNewest ? { freshUntil: Math.max(until, (!isUndated && device?.freshUntil) || 0) } : {};
  const states: Record<string, State> = {};
  if (isNewest) {
    const payload = entityState(record, source, end, new Set(suppressed));
    // Other nodes may change what came with a message.
    states[name] = { payload, end, until, ...(!isLarge(record) && { record: structuredClone(record) }) };
  }
  const keys = READINGS.filter((entity) => entityValue(record, entity) !== null).map(({ key }) => key);
  const entities = [STALE.key, ...(keys.length > 0 ? [`${source}_endTime`] : []), ...keys];
  const validFor = profiledValidity(rule, { ...known?.states, ...states }, known?.profile.validFor);
  const names = namesIn(incoming.energy);
  const profile = { ...address, ...names, entities, basis, validFor };
  const own = { profile, counters, states, ...freshness(known) };
  const { siteId, systemId } = address;
  if (systemId === undefined) return [own];
  const site = find({ siteId });
  const longest = Math.max(site?.profile.validFor ?? 0, validFor);
  const ofSite = defined({ siteId, siteName: names.siteName, validFor: longest });
  return [{ profile: { ...ofSite, entities: [STALE.key] }, ...freshness(site) }, own];
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

/** The names that a message gives its site and system. */
export function namesIn({ siteName, systemName }: ServiceObject): SeriesNames {
  const nameOf = (name: unknown): string | undefined =>
    shownName(typeof name === "string" ? name : undefined);
  return defined({ siteName: nameOf(siteName), systemName: nameOf(systemName) });
}

/** The messages that carry its last records themselves. */
export function recordMessages(
  rule: PublishRule,
  { profile: { siteId = "", systemId }, states }: Device,
  isLive: boolean,
  isMeant: (state: State) => boolean = () => true,
): Publication[] {
  return Object.values(states).flatMap((state) => {
    const { record } = state;
    const given = record && isMeant(state) && { address: { siteId, systemId }, record, isLive };
    return given ? recordPublications(rule, given) : [];
  });
}
