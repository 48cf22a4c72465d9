// The published devices as stored across restarts: their entities, counters and retained topics.
import { isDeepStrictEqual } from "node:util";
import { isServiceObject, type ServiceObject } from "../../models/service-object";
import type { Basis } from "../../models/measurements";
import type { SeriesAddress, SourceName } from "../../ledger/record-id";
import type { IntervalRecord } from "../../models/telemetry";
import type { Absence } from "./absence";
import type { Counters } from "./counters";
import { isAbsenceOrNone, isTextOrNone, isTime } from "./stored-values";

/** What a device's discovery message depends on. */
export interface DeviceProfile extends SeriesAddress {
  siteName?: string;
  /** Generation and inverter type of a system, as the site list gives them. */
  model?: string;
  inverterType?: string;
  /** Keys of the entities that have had a value. */
  readonly entities: readonly string[];
  /** AC or DC by group, where known. */
  readonly basis: Readonly<Record<string, Basis>>;
}

/** The newest record of a series, as its state in Home Assistant. */
export interface LastRecord {
  readonly record: IntervalRecord;
  /** In milliseconds. */
  readonly end: number;
  /** Counters not to publish, as GROUP/FIELD. */
  readonly suppressed: readonly string[];
}

/** A system or a site. */
export interface KnownDevice {
  readonly profile: DeviceProfile;
  readonly counters: Counters;
  /** The last live record of each series. */
  readonly last?: Partial<Record<SourceName, LastRecord>>;
  /** Topics of this device with a retained message on the broker. */
  readonly retained: readonly string[];
  /** If the latest complete site list did not contain it, and no record has come since. */
  readonly absence?: Absence | undefined;
}

/** Keyed by device id; a site comes before its systems. */
export type KnownDevices = ReadonlyMap<string, KnownDevice>;

/** Adds what a message reveals to a profile; returns the same object if nothing is new. */
export function mergedProfile(known: DeviceProfile | undefined, added: DeviceProfile): DeviceProfile {
  if (!known) return added;
  const profile = {
    ...known,
    ...added,
    entities: [...new Set([...known.entities, ...added.entities])],
    basis: { ...known.basis, ...added.basis },
  };
  return isDeepStrictEqual(known, profile) ? known : profile;
}

/** A stored device; undefined if it is not valid. */
export function readKnownDevice(stored: unknown): KnownDevice | undefined {
  return isKnownDevice(stored) ? stored : undefined;
}

function isKnownDevice(stored: unknown): stored is KnownDevice {
  if (!isServiceObject(stored)) return false;
  const { profile, counters, retained, last, absence } = stored;
  return (
    isServiceObject(profile) &&
    typeof profile["siteId"] === "string" &&
    ["systemId", "siteName", "model", "inverterType"].every((field) => isTextOrNone(profile[field])) &&
    isTextList(profile["entities"]) &&
    isServiceObject(profile["basis"]) &&
    isServiceObject(counters) &&
    Object.values(counters).every(isCounter) &&
    isTextList(retained) &&
    (last === undefined || (isServiceObject(last) && Object.values(last).every(isLastRecord))) &&
    isAbsenceOrNone(absence)
  );
}

function isLastRecord(value: unknown): boolean {
  return (
    isServiceObject(value) &&
    isServiceObject(value["record"]) &&
    isTime(value["end"]) &&
    isTextList(value["suppressed"])
  );
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isCounterBase(value: unknown): value is ServiceObject {
  return isServiceObject(value) && Number.isFinite(value["value"]) && Number.isFinite(value["end"]);
}

function isCounter(value: unknown): boolean {
  if (!isServiceObject(value)) return false;
  const { doubt } = value;
  return (
    isCounterBase(value) &&
    (value["peak"] === undefined || Number.isFinite(value["peak"])) &&
    (doubt === undefined || (isCounterBase(doubt) && Number.isFinite(doubt["count"])))
  );
}
