// The messages that show a device in Home Assistant as it is now: whether it is available, its states, and its last records.
import type { SourceName } from "../../ledger/record-id";
import { sourceOf } from "../../messages/series";
import { recordPublications } from "../publications";
import type { Publication, PublishRule } from "../publications";
import type { Device } from "./device-table";
import { availabilityTopic, staleTopic, stateTopic } from "./discovery";
import { OFFLINE, ONLINE } from "./discovery-message";
import { entityState } from "./entities";
import type { DeviceProfile, KnownDevice, LastRecord } from "./known-devices";

/**
 * The availability is retained, so that a Home Assistant that restarts knows it without waiting for the next record. Whether
 * the device is stale is not: nobody would withdraw it if Node-RED were gone.
 */
export function availabilityMessages(
  rule: PublishRule,
  profile: DeviceProfile,
  isFresh: boolean,
): Publication[] {
  return [
    { topic: availabilityTopic(rule, profile), payload: isFresh ? ONLINE : OFFLINE, retain: true },
    { topic: staleTopic(rule, profile), payload: isFresh ? "OFF" : "ON", retain: false },
  ];
}

/**
 * The state by each fresh last record, or only by that of one source. Never retained: the broker would present an old state
 * as a new one. `now` in milliseconds.
 */
export function stateMessages(
  rule: PublishRule,
  [, { profile, last }]: Device,
  now: number,
  only?: SourceName,
): Publication[] {
  return freshRecords(rule, last, now).flatMap(({ record, end, suppressed }) => {
    const source = sourceOf(record);
    if (only !== undefined && source !== only) return [];
    const state = entityState(record, source, end, new Set(suppressed));
    return [{ topic: stateTopic(rule, profile, source), payload: JSON.stringify(state), retain: false }];
  });
}

/** The messages that carry the fresh last records themselves. `now` in milliseconds. */
export function recordMessages(
  rule: PublishRule,
  [, { profile: address, last }]: Device,
  now: number,
): Publication[] {
  return freshRecords(rule, last, now).flatMap(({ record }) =>
    recordPublications(rule, { address, record, isLive: true }),
  );
}

/** `now` in milliseconds. */
export function freshRecords(
  { expireAfter }: PublishRule,
  last: KnownDevice["last"],
  now: number,
): LastRecord[] {
  return Object.values(last ?? {}).filter(({ end }) => now - end < expireAfter);
}
