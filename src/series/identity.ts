// Identifies a record by its series and the start of its interval.
import type { SourceName } from "../models/telemetry";
import { isId } from "../settings/rules";
import { isoTime } from "../time-units";

/** A site, or one system of it. */
export interface SeriesAddress {
  siteId: string;
  systemId?: string | undefined;
}

/** Names that the service shows, in one line; absent where no list or details have shown one. */
export interface SeriesNames {
  siteName?: string;
  systemName?: string;
}

/** With its names, once a list or details have shown what it stands for. */
export interface NamedAddress extends SeriesAddress {
  names?: SeriesNames;
}

/**
 * Returns the id of a record by that of its series, and its start in milliseconds. A record has the same id in every run, on every machine.
 * The end is not part of it, because it may move when a record is revised. Site and system ids are percent-encoded, so
 * that a slash always separates two parts.
 */
export function recordId(series: string, start: number): string {
  return `${series}/${isoTime(start)}`;
}

export function seriesId(address: SeriesAddress, source: SourceName): string {
  return `${addressId(address)}/${source}`;
}

export function addressId({ siteId, systemId }: SeriesAddress): string {
  return `${encodeURIComponent(siteId)}/${systemId === undefined ? "" : encodeURIComponent(systemId)}`;
}

/** The system of a site that the id of a series names; undefined if the id is of another series, or names none. */
export function systemOfSeries(id: unknown, siteId: string, source: SourceName): string | undefined {
  const encoded = typeof id === "string" ? (id.split("/")[1] ?? "") : "";
  try {
    const systemId = decodeURIComponent(encoded);
    return isId(systemId) && seriesId({ siteId, systemId }, source) === id ? systemId : undefined;
  } catch {
    return undefined;
  }
}
