// The id of a device in Home Assistant: letters, digits, _ and - only, never changing, and unique for each system.
import type { SeriesAddress } from "../ledger/record-id";

/** Two underscores separate the parts: an escaped part never contains them. */
export function deviceId(prefix: string, { siteId, systemId }: SeriesAddress): string {
  return [prefix, siteId, ...(systemId === undefined ? [] : [systemId])].map(escaped).join("__");
}

/** Any other character becomes _ and two hexadecimal digits for each of its bytes. */
function escaped(text: string): string {
  return text.replace(/[^A-Za-z0-9-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `_${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}

/** As Home Assistant writes entity ids: lower-case letters, digits, single underscores. */
export function entitySlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
}
