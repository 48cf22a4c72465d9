// A window of a series as the service is asked for it: times in UTC.
import type { RecordQuery } from "../../../src/client/service-client";
import type { SeriesAddress } from "../../../src/ledger/record-id";
import type { TimeWindow } from "../../../src/ledger/window";

export function recordQuery({ siteId, systemId }: SeriesAddress, { start, end }: TimeWindow): RecordQuery {
  return {
    siteId,
    ...(systemId === undefined ? {} : { systemId }),
    startTime: new Date(start).toISOString(),
    endTime: new Date(end).toISOString(),
  };
}
