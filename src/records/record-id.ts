// What identifies a record: where it comes from and when its interval starts.

/** Which series a record belongs to. */
export type RecordSource = "telemetry" | "rgm";

/** A site, or one system of it. */
export interface SeriesAddress {
  siteId: string;
  systemId?: string;
}

/**
 * The same record has the same id in every run, on every machine. The end is no part of it, because a record may come
 * again with a later end. Ids are percent-encoded, so the parts stay apart.
 */
export function recordId(address: SeriesAddress, source: RecordSource, start: number): string {
  return `${seriesId(address, source)}/${new Date(start).toISOString()}`;
}

/** Identifies a series of records: site, system and source. */
export function seriesId({ siteId, systemId }: SeriesAddress, source: RecordSource): string {
  const system = systemId === undefined ? "" : encodeURIComponent(systemId);
  return `${encodeURIComponent(siteId)}/${system}/${source}`;
}
