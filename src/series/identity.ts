// Identifies a record by its series and the start of its interval.
import { HOUR, MINUTE } from "../time-units";

/** Which series a record belongs to. */
export type SourceName = "telemetry" | "rgm";

/** A site, or one system of it. */
export interface SeriesAddress {
  siteId: string;
  systemId?: string | undefined;
}

/**
 * Returns the id of a series' record by its start in milliseconds. A record has the same id in every run, on every machine.
 * The end is not part of it, because it may move when a record is revised. Site and system ids are percent-encoded, so
 * that a slash always separates two parts.
 */
export function recordIds(address: SeriesAddress, source: SourceName): (start: number) => string {
  const series = seriesId(address, source);
  // toISOString would be the slowest step per record, and most records start on a full minute of the same hour.
  let hour = Number.NaN;
  let hourId = "";
  return (start) => {
    const hourStart = Math.floor(start / HOUR) * HOUR;
    const minutes = (start - hourStart) / MINUTE;
    if (!Number.isInteger(minutes)) return `${series}/${new Date(start).toISOString()}`;
    if (hourStart !== hour) {
      hour = hourStart;
      hourId = `${series}/${new Date(hourStart).toISOString().slice(0, 14)}`;
    }
    return `${hourId}${minutes < 10 ? "0" : ""}${minutes}:00.000Z`;
  };
}

/** Identifies a series of records: site, system and source. */
export function seriesId({ siteId, systemId }: SeriesAddress, source: SourceName): string {
  const system = systemId === undefined ? "" : encodeURIComponent(systemId);
  return `${encodeURIComponent(siteId)}/${system}/${source}`;
}
