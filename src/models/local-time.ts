// Times in the time zone of a site.
import type { DateTime } from "luxon";
import { InputError } from "../errors";

/** Loaded on first use, so that it does not slow down the start of Node-RED. */
export function luxon(): typeof import("luxon") {
  return require("luxon");
}

/** Throws InputError for a zone that is not an IANA zone. */
export function assertZone(zone: string): void {
  if (!luxon().IANAZone.isValidZone(zone)) throw new InputError("zoneUnknown", { zone });
}

/** The zone of a site. Throws InputError if it has none that is known. */
export function zoneOf(zone: unknown): string {
  if (typeof zone !== "string") throw new InputError("zoneMissing");
  assertZone(zone);
  return zone;
}

/** A time in milliseconds in a zone that exists. */
export function localTime(zone: string, time: number): DateTime {
  return luxon().DateTime.fromMillis(time, { zone });
}

/** Where clocks go back at midnight there are two midnights; the day begins with the first. In milliseconds. */
export function firstMoment(midnight: DateTime): number {
  return Math.min(...midnight.getPossibleOffsets().map((moment) => moment.toMillis()));
}
