// The id of a device in Home Assistant: stable, unique per system, with letters, digits, _ and - only.
import type { SeriesAddress } from "../ledger/record-id";

/** The parts are separated by two underscores, which an escaped part never contains. */
export function deviceId(prefix: string, { siteId, systemId }: SeriesAddress): string {
  return [prefix, siteId, ...(systemId === undefined ? [] : [systemId])].map(escaped).join("__");
}

/** Replaces every other character by an underscore and two hexadecimal digits for each of its bytes. */
function escaped(text: string): string {
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
