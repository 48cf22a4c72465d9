// Reads the records of one series, and their basis, through the account: the engine's source.
import type { RecordQuery, ServiceClient } from "../../../src/client/service-client";
import type { SeriesAddress, SourceName } from "../../../src/ledger/record-id";
import type { TimeWindow } from "../../../src/ledger/window";
import { SERIES } from "../../../src/messages/series";
import type { RecordSource } from "../../../src/polling/ports";
import { type Basis, basisOf } from "../../../src/models/basis";
import type { IntervalRecord } from "../../../src/models/telemetry";
import type { AccountNode } from "./account";

export interface RecordSourceOptions {
  source: SourceName;
  includeInverter?: boolean;
}

/** `service` resolves to the connection, or rejects with ConfigError. */
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

/** The request parameters for a window of a series, with times in UTC. */
function recordQuery({ siteId, systemId }: SeriesAddress, { start, end }: TimeWindow): RecordQuery {
  return {
    siteId,
    ...(systemId === undefined ? {} : { systemId }),
    startTime: new Date(start).toISOString(),
    endTime: new Date(end).toISOString(),
  };
}

/** The basis (AC or DC) of each group of a record; undefined if unknown. */
export type RecordBasis = (record: IntervalRecord) => Record<string, Basis> | undefined;

/** Called only when there are records to send, so that a failed poll costs no extra request. */
export async function recordBasis(
  account: AccountNode,
  { siteId, systemId }: SeriesAddress,
): Promise<RecordBasis> {
  const directory = await account.directory();
  const generation = await directory.generationOf(siteId, systemId);
  return (record) => basisOf(record, generation);
}
