// How long a dialog waits for the service: less than the account's timeout may be, and without retries.
import { errorText, EnergyError } from "../../../src/errors";
import { withSignal } from "../../../src/abort";

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
