// The id of a device in Home Assistant: stable, unique per system, with letters, digits, _ and - only.
import type { SeriesAddress } from "../../ledger/record-id";

/** The parts are separated by two underscores, which an escaped part never contains. */
export function deviceId(prefix: string, { siteId, systemId }: SeriesAddress): string {
  return [prefix, siteId, ...(systemId === undefined ? [] : [systemId])].map(escaped).join("__");
}

/** The id of the device that stands for the account, and with it everything under one topic prefix. */
export function accountId(prefix: string): string {
  return escaped(prefix);
}

/** The id of a device of site info. A device that belongs to no system has an empty part in its place. */
export function siteDeviceId(prefix: string, { siteId, systemId = "" }: SeriesAddress, part: string): string {
  return `${deviceId(prefix, { siteId, systemId })}__${part}`;
}

/** Replaces every other character by an underscore and two hexadecimal digits for each of its bytes. */
export function escaped(text: string): string {
  return text.replace(/[^A-Za-z0-9-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `_${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}

/** A text in the form of Home Assistant's entity ids: lower-case letters, digits, single underscores. */
export function entitySlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
}
