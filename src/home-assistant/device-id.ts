// The id of a device in Home Assistant: only letters, digits, _ and -, the same for ever, and different for different systems.
import type { SeriesAddress } from "../ledger/record-id";

/** Parts are kept apart by two underlines: an escaped part never holds them. */
export function deviceId(prefix: string, { siteId, systemId }: SeriesAddress): string {
  return [prefix, siteId, ...(systemId === undefined ? [] : [systemId])].map(escaped).join("__");
}

/** Any other character stands as _ and two hexadecimal digits for each byte of it. */
function escaped(text: string): string {
  return text.replace(/[^A-Za-z0-9-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `_${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}

/** As Home Assistant writes entity ids: small letters, digits, single underlines. */
export function entitySlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
}
