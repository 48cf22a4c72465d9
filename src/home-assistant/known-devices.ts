// The devices that were published, as they are kept over restarts: what they have, and how far their counters are.
import { isDeepStrictEqual } from "node:util";
import { isServiceObject } from "../models/service-object";
import type { Basis } from "../models/basis";
import type { SeriesAddress } from "../ledger/record-id";
import type { Counters } from "./counter-guard";

/** What a device's discovery is made of. */
export interface DeviceProfile extends SeriesAddress {
  siteName?: string;
  /** Keys of the entities for which there was a reading. */
  readonly entities: readonly string[];
  /** AC or DC for each group, where it is known. */
  readonly basis: Readonly<Record<string, Basis>>;
}

/** A system, or a site itself. */
export interface KnownDevice {
  readonly profile: DeviceProfile;
  readonly counters: Counters;
  /** Topics of this device that the broker retains. */
  readonly retained: readonly string[];
}

/** By device id; a site stands before its systems. */
export type DeviceBook = Readonly<Record<string, KnownDevice>>;

/** What is known of a device once a message said more; the same object where it said nothing new. */
export function learned(known: DeviceProfile | undefined, news: DeviceProfile): DeviceProfile {
  if (!known) return news;
  const profile = {
    ...known,
    ...news,
    entities: [...new Set([...known.entities, ...news.entities])],
    basis: { ...known.basis, ...news.basis },
  };
  return isDeepStrictEqual(known, profile) ? known : profile;
}

/** The book that was stored, or undefined when it is none. */
export function readDeviceBook(stored: unknown): DeviceBook | undefined {
  return isServiceObject(stored) && Object.values(stored).every(isKnownDevice)
    ? (stored as DeviceBook)
    : undefined;
}

function isKnownDevice(stored: unknown): boolean {
  if (!isServiceObject(stored)) return false;
  const { profile, counters, retained } = stored;
  return (
    isServiceObject(profile) &&
    typeof profile["siteId"] === "string" &&
    isTextOrNone(profile["systemId"]) &&
    isTextOrNone(profile["siteName"]) &&
    isTextList(profile["entities"]) &&
    isServiceObject(profile["basis"]) &&
    isServiceObject(counters) &&
    Object.values(counters).every(isCounter) &&
    isTextList(retained)
  );
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isCounter(value: unknown): boolean {
  if (!isServiceObject(value)) return false;
  const { doubt } = value;
  return (
    Number.isFinite(value["value"]) &&
    Number.isFinite(value["end"]) &&
    (doubt === undefined ||
      (isServiceObject(doubt) && Number.isFinite(doubt["value"]) && Number.isFinite(doubt["count"])))
  );
}
