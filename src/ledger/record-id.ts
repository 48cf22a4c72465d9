// What identifies a record: where it comes from and when its interval starts.
import { HOUR, MINUTE } from "../time-units";

/** Which series a record belongs to. */
export type SourceName = "telemetry" | "rgm";

/** A site, or one system of it. */
export interface SeriesAddress {
  siteId: string;
  systemId?: string | undefined;
}

/**
 * The ids of the records of a series, by their start (milliseconds). The same record has the same id in every run, on every
 * machine. The end is no part of it, because a record may come again with a later end. The site's and the system's ids are
 * percent-encoded, so the parts stay apart.
 */
export function recordIds(address: SeriesAddress, source: SourceName): (start: number) => string {
  const series = seriesId(address, source);
  // toISOString takes longer than all else that is done for a record: most start on a minute of the same hour.
  let hour = Number.NaN;
  let hourText = "";
  return (start) => {
    const hourStart = Math.floor(start / HOUR) * HOUR;
    const minutes = (start - hourStart) / MINUTE;
    if (!Number.isInteger(minutes)) return `${series}/${new Date(start).toISOString()}`;
    if (hourStart !== hour) {
      hour = hourStart;
      hourText = new Date(hourStart).toISOString().slice(0, 14);
    }
    return `${series}/${hourText}${minutes < 10 ? "0" : ""}${minutes}:00.000Z`;
  };
}

/** The id of one record. */
export function recordId(address: SeriesAddress, source: SourceName, start: number): string {
  return recordIds(address, source)(start);
}

/** Identifies a series of records: site, system and source. */
export function seriesId({ siteId, systemId }: SeriesAddress, source: SourceName): string {
  const system = systemId === undefined ? "" : encodeURIComponent(systemId);
  return `${encodeURIComponent(siteId)}/${system}/${source}`;
}
