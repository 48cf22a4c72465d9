// Requests for a dialog, in which a person waits: one attempt each, and less time than the account's timeout may be.
import { withSignal } from "../../../src/abort";
import type { ServiceClient } from "../../../src/client/service-client";
import { EnergyError, errorText } from "../../../src/errors";
import { defined } from "../../../src/objects";
import type { SeriesAddress } from "../../../src/series/identity";
import type { TimeWindow } from "../../../src/ledger/window";

type TelemetryRecord = Awaited<ReturnType<ServiceClient["telemetry"]>>["records"][number];

const LIMIT_SECONDS = 14;

/** Throws EnergyError `noAnswer` when time runs out; AbortedError when the signal aborts; what the work throws. */
export function withTimeLimit<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const error = (): EnergyError =>
    new EnergyError("ENERGY_TIMEOUT", errorText("noAnswer", { seconds: LIMIT_SECONDS }));
  return withSignal([signal], work, { ms: LIMIT_SECONDS * 1000, error });
}

/** The newest telemetry record of a system in the first of these windows that has one. */
export async function newestRecord(
  client: ServiceClient,
  address: SeriesAddress,
  windowsAt: (now: number) => readonly TimeWindow[],
  signal: AbortSignal,
  includeInverter = false,
): Promise<TelemetryRecord | undefined> {
  for (const window of windowsAt(client.clock.now())) {
    const records = await recordsIn(client, address, window, signal, includeInverter);
    const newest = records.at(-1);
    if (newest) return newest;
  }
  return undefined;
}

export async function recordsIn(
  client: ServiceClient,
  { siteId, systemId }: SeriesAddress,
  { start, end }: TimeWindow,
  signal: AbortSignal,
  includeInverter: boolean,
): Promise<readonly TelemetryRecord[]> {
  const query = {
    ...defined({ siteId, systemId }),
    includeInverter,
    startTime: new Date(start).toISOString(),
    endTime: new Date(end).toISOString(),
  };
  return (await client.telemetry(query, { once: true, signal })).records;
}
