// A device in Home Assistant: the account, a site, a system, or a part of one. What is known of it, its id, its topics and states.
import type { Basis } from "../../models/measurements";
import type { IntervalRecord } from "../../models/telemetry";
import { mapValues } from "../../objects";
import type { SeriesNames } from "../../series/identity";
import { type Publication, type PublishRule, seriesTopic } from "../publications";
import type { Counters } from "./counters";
import { DIAGNOSTIC, type Entity } from "./entities";

/** What a device is of: without a site, the account. */
export interface Place {
  readonly siteId?: string | undefined;
  readonly systemId?: string | undefined;
  /** Of a part: its id or, if it has none, its number among the parts of its class that have none. */
  readonly key?: string | number;
  /** Of a part, in capitals if it is a known one. */
  readonly deviceClass?: string;
}

/** What its discovery message depends on. */
export interface Profile extends Place, Readonly<SeriesNames> {
  readonly model?: string;
  readonly inverterType?: string;
  readonly serialNumber?: string;
  /** The device that it is linked to, if Home Assistant knows one. */
  readonly parentId?: string;
  /** Keys of the entities that have had a value. */
  readonly entities: readonly string[];
  /** AC or DC by group of readings, where known. */
  readonly basis: Readonly<Record<string, Basis>>;
  /** Units of totals. */
  readonly units: Readonly<Record<string, string>>;
  /** How long its records are valid, in milliseconds, in full steps, so that it seldom changes. */
  readonly validFor?: number;
}

/** What was last published under one topic. Times in milliseconds. */
export interface State {
  readonly payload: Readonly<Record<string, unknown>>;
  /** The record that it shows, and its end. */
  readonly record?: IntervalRecord;
  readonly end?: number;
  /** When it is over; undefined = never. */
  readonly until?: number;
  /** Replaces fields once it is no longer current. Without it, the state is not published any more. */
  readonly afterwards?: Readonly<Record<string, null>>;
}

/** An open alert. */
export interface ShownAlert {
  readonly alertKey: string;
  /** One that this version does not know is shown by the service's own word. */
  readonly severity: string;
  readonly title?: string;
}

/** Plain data, stored as JSON. */
export interface Device {
  /** Of its discovery message, and of the device in Home Assistant. */
  readonly id: string;
  readonly profile: Profile;
  /** By the end of their topics, after that of the device. */
  readonly states: Readonly<Record<string, State>>;
  readonly counters?: Counters;
  readonly open?: readonly ShownAlert[];
  /** The ends of the topics, after that of the device, under which the broker retains records or totals. */
  readonly retained?: readonly string[];
  /**
   * Whether its states are still to be repeated: Home Assistant may have missed what followed the last config, and what came while the
   * time was not sure was shown as over.
   */
  readonly isUnrepeated?: boolean;
  /** Until when it has a fresh record, in milliseconds. */
  readonly freshUntil?: number | undefined;
  /**
   * If the latest complete site list did not contain it, and it has not been heard of since: how many in a row did not, and
   * when the first of them came, in milliseconds.
   */
  readonly absence?: { readonly since: number; readonly lists: number } | undefined;
}

export type Find = (place: Place) => Device | undefined;

/** What a message reveals of a device. */
export interface Found extends Partial<
  Omit<Device, "id" | "profile" | "absence" | "retained" | "isUnrepeated">
> {
  readonly profile: Partial<Profile>;
  /** False if the message does not show that the device exists, whatever site lists say. */
  readonly isSeen?: boolean;
  /** What has happened to it. Published once: Home Assistant would take a repetition for another event. */
  readonly event?: Publication;
}

/** As it is when no one knows any more how much time has passed: what is ever over is over. */
export function withoutTime(device: Device): Device {
  const states = mapValues(device.states, (state) =>
    state.until === undefined ? state : { ...state, until: 0 },
  );
  return { ...device, states, freshUntil: 0 };
}

/** On while there is no fresh record. */
export const STALE: Entity = {
  key: "stale",
  name: "stale",
  state: "stale",
  traits: { platform: "binary_sensor", device_class: "problem", ...DIAGNOSTIC },
  // Republished before it expires, so that it becomes unknown only if publishing stops.
  expires: 2,
};

/** One that only totals or alerts have named is neither stale nor offline. */
export function hasRecords({ profile }: Pick<Device, "profile">): boolean {
  return profile.entities.includes(STALE.key);
}

/** Stands for the class of a part where there is none. */
export const NO_CLASS = "DEVICE";

/**
 * Stable and unique. The parts are separated by two underscores, which an escaped part never contains, nor `_n`: a part without
 * an id has an id of its own. The id of a device begins with those of the devices that it belongs to.
 */
export function deviceId(prefix: string, { siteId, systemId, key, deviceClass = NO_CLASS }: Place): string {
  if (siteId === undefined) return escaped(prefix);
  // Without a system, an empty part stands in its place.
  const system = key === undefined ? systemId : (systemId ?? "");
  const parts = [prefix, siteId, ...(system === undefined ? [] : [system])].map(escaped);
  if (key !== undefined)
    parts.push(typeof key === "number" ? `_n${escaped(deviceClass)}_n${key}` : escaped(key));
  return parts.join("__");
}

/** Replaces every other character by an underscore and two hexadecimal digits for each of its bytes. */
function escaped(part: string): string {
  return part.replace(/[^A-Za-z0-9-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `_${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}

/** What its own topics begin with. That of the account has a level less than those of any site, a part without an id one more. */
export function deviceTopic(
  prefix: string,
  { siteId, systemId, key, deviceClass = NO_CLASS }: Place,
): string {
  if (siteId === undefined) return prefix;
  const series = seriesTopic(prefix, { siteId, systemId });
  if (key === undefined) return series;
  const levels = typeof key === "number" ? [deviceClass, String(key)] : [key];
  return [series, "devices", ...levels.map(encodeURIComponent)].join("/");
}

/** When the next state of a device that has something to show afterwards is over; infinite = never. Times in milliseconds. */
export function nextEnd({ states }: Device, now = Number.NEGATIVE_INFINITY): number {
  const ending = Object.values(states).filter(({ afterwards }) => afterwards);
  const times = ending.map(({ until = 0 }) => until).filter((time) => time > now);
  return Math.min(...times, Number.POSITIVE_INFINITY);
}

export function hasFreshRecord({ freshUntil = 0 }: Device, now: number): boolean {
  return now < freshUntil;
}

/** `now` in milliseconds; undefined while the time is not sure: then nothing is current that ever ends. */
export function isCurrent({ until }: State, now: number | undefined): boolean {
  return until === undefined || (now !== undefined && now < until);
}

/** The messages of states, never retained: the broker would present an old one as new. One that is over shows what is left of it. */
export function stateMessages(
  rule: PublishRule,
  { profile }: Device,
  states: Device["states"],
  now: number | undefined,
): Publication[] {
  return Object.entries(states).flatMap(([name, state]) => {
    const { payload, afterwards } = state;
    const isOver = !isCurrent(state, now);
    if (isOver && !afterwards) return [];
    const topic = `${deviceTopic(rule.prefix, profile)}/${name}`;
    return [{ topic, payload: JSON.stringify({ ...payload, ...(isOver && afterwards) }), retain: false }];
  });
}

/** The states that are over, to be published as they are from then on. */
export function endedStates({ states }: Device, now: number): Device["states"] {
  return Object.fromEntries(Object.entries(states).filter(([, state]) => !isCurrent(state, now)));
}
