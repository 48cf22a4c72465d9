// Requests for a dialog, in which a person waits: one attempt each, and less time than the account's timeout may be.
import { withSignal } from "../../../src/abort";
import type { ServiceClient } from "../../../src/client/service-client";
import { EnergyError, errorText } from "../../../src/errors";
import type { SeriesAddress } from "../../../src/series/identity";
import { RecordReader, type RecordSource } from "../../../src/reading/record-reader";
import { begun, recordQuery } from "../../shared/runtime/records/record-ports";

const LIMIT_SECONDS = 14;
/** Of the thirty that dialogs may make in a minute. */
const MAX_REQUESTS = 12;

/** Throws EnergyError `noAnswer` when time runs out; AbortedError when the signal aborts; what the work throws. */
export function withTimeLimit<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const error = (): EnergyError =>
    new EnergyError("ENERGY_TIMEOUT", errorText("noAnswer", { seconds: LIMIT_SECONDS }));
  return withSignal([signal], work, { ms: LIMIT_SECONDS * 1000, error });
}

/** Reads the telemetry of a system. */
export function dialogReader(
  client: ServiceClient,
  address: SeriesAddress,
  signal: AbortSignal,
  includeInverter = false,
): RecordReader {
  const { clock } = client;
  const source: RecordSource = {
    async read(window, aborted) {
      const query = { ...recordQuery(address, window), includeInverter };
      return begun(await client.telemetry(query, { once: true, signal: aborted }), clock.now());
    },
  };
  return new RecordReader(source, clock, signal, MAX_REQUESTS);
}
