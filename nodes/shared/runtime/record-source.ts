// Reads the records of one series through the account, as the engine asks for them.
import type { RecordQuery, ServiceClient } from "../../../src/client/service-client";
import type { SeriesAddress, SourceName } from "../../../src/ledger/record-id";
import type { TimeWindow } from "../../../src/ledger/window";
import { SERIES } from "../../../src/messages/series";
import type { RecordSource } from "../../../src/polling/ports";

export interface RecordSourceOptions {
  source: SourceName;
  includeInverter?: boolean;
}

/** `service` gives the connection, or rejects with ConfigError. */
export function recordSource(
  service: () => Promise<ServiceClient>,
  address: SeriesAddress,
  { source, includeInverter = false }: RecordSourceOptions,
): RecordSource {
  return {
    async read(window, signal) {
      const query = { ...recordQuery(address, window), includeInverter };
      return SERIES[source].read(await service(), query, { signal });
    },
  };
}

/** A window of a series as the service is asked for it: times in UTC. */
function recordQuery({ siteId, systemId }: SeriesAddress, { start, end }: TimeWindow): RecordQuery {
  return {
    siteId,
    ...(systemId === undefined ? {} : { systemId }),
    startTime: new Date(start).toISOString(),
    endTime: new Date(end).toISOString(),
  };
}
