// Reads the records of one series, and their basis, through the account: the engine's source.
import type { RecordQuery } from "../../../../src/client/service-client";
import type { SeriesAddress, SourceName } from "../../../../src/ledger/record-id";
import type { TimeWindow } from "../../../../src/ledger/window";
import { SERIES } from "../../../../src/messages/series";
import type { RecordSource } from "../../../../src/polling/ports";
import type { Run } from "../service/service-node";

export interface RecordSourceOptions {
  source: SourceName;
  includeInverter?: boolean;
  /** Whether windows of the past can wait until there is nothing more urgent. */
  isPastBacklog?: boolean;
}

/** Reads through the account of a run, as long as the account lasts. A record that begins in the future does not exist yet. */
export function recordSource(
  { service, clock }: Pick<Run, "service" | "clock">,
  address: SeriesAddress,
  { source, includeInverter = false, isPastBacklog = false }: RecordSourceOptions,
): RecordSource {
  return {
    async read(window, signal, once = false) {
      const query = { ...recordQuery(address, window), includeInverter };
      const isBacklog = isPastBacklog && window.end < clock.now();
      const client = await service(isBacklog ? "backlog" : undefined);
      const { records, unreadable } = await SERIES[source].read(client, query, { signal, once });
      const now = clock.now();
      // In order, so that the last one decides.
      const hasFuture = (records.at(-1)?.start ?? now) > now;
      return { records: hasFuture ? records.filter(({ start }) => start <= now) : records, unreadable };
    },
  };
}

/** The request parameters for a window of a series, with times in UTC. */
function recordQuery({ siteId, systemId }: SeriesAddress, { start, end }: TimeWindow): RecordQuery {
  return {
    siteId,
    ...(systemId === undefined ? {} : { systemId }),
    startTime: new Date(start).toISOString(),
    endTime: new Date(end).toISOString(),
  };
}
