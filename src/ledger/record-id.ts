// What identifies a record: where it comes from and when its interval starts.
import { HOUR, MINUTE } from "./window";

/** Which series a record belongs to. */
export type SourceName = "telemetry" | "rgm";

/** A site, or one system of it. */
export interface SeriesAddress {
  siteId: string;
  systemId?: string | undefined;
}

/**
 * The same record has the same id in every run, on every machine. The end is no part of it, because a record may come
 * again with a later end. Ids are percent-encoded, so the parts stay apart.
 */
export function recordId(address: SeriesAddress, source: SourceName, start: number): string {
  return `${seriesId(address, source)}/${isoText(start)}`;
}

let lastHour = { start: Number.NaN, text: "" };

/** As toISOString, which takes longer than all else that is done for a record: most start on a minute of the same hour. */
function isoText(time: number): string {
  const start = Math.floor(time / HOUR) * HOUR;
  if (start !== lastHour.start) lastHour = { start, text: new Date(start).toISOString().slice(0, 14) };
  const minutes = (time - start) / MINUTE;
  if (!Number.isInteger(minutes)) return new Date(time).toISOString();
  return `${lastHour.text}${minutes < 10 ? "0" : ""}${minutes}:00.000Z`;
}

/** Identifies a series of records: site, system and source. */
export function seriesId({ siteId, systemId }: SeriesAddress, source: SourceName): string {
  const system = systemId === undefined ? "" : encodeURIComponent(systemId);
  return `${encodeURIComponent(siteId)}/${system}/${source}`;
}
