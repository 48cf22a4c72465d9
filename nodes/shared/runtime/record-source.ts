// What the account gives of one series: its records, as the engine asks for them, and their basis.
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

/** The basis of each group of a record; undefined where it is not known. */
export type RecordBasis = (record: IntervalRecord) => Record<string, Basis> | undefined;

/** Asked for once there are records to send: a poll that fails costs no request for it. */
export async function recordBasis(
  account: AccountNode,
  { siteId, systemId }: SeriesAddress,
): Promise<RecordBasis> {
  const directory = await account.directory();
  const generation = await directory.generationOf(siteId, systemId);
  return (record) => basisOf(record, generation);
}
