// Ends a run once what it has read is stored.
import { seriesId } from "../../../../src/ledger/record-id";
import { type Failure, PartialFailure } from "../base/errors";
import type { PollerEntry } from "./record-poll";

/**
 * Resolves to what the run read, once that is stored. Throws what the run throws, and what could not be stored: as
 * PartialFailure if there are several reasons.
 * @param read the systems that the run has read by its end
 */
export async function whenStored<T>(run: Promise<T>, read: ReadonlySet<PollerEntry>): Promise<T> {
  let outcome: T;
  try {
    outcome = await run;
  } catch (reason) {
    throw withFailures(reason, await storeFailures(read));
  }
  const failures = await storeFailures(read);
  const [first] = failures;
  if (!first) return outcome;
  throw failures.length === 1 ? first.error : new PartialFailure(failures, read.size, failures.length);
}

/** What a run throws, with what could not be stored besides. */
function withFailures(reason: unknown, failures: readonly Failure[]): unknown {
  if (!(reason instanceof PartialFailure)) return reason;
  // A system that could not be read is reported once.
  const known = new Set(reason.failures.map(nameOf));
  const others = failures.filter((failure) => !failure.address || !known.has(nameOf(failure)));
  const { total, failed, fresh } = reason;
  return new PartialFailure([...reason.failures, ...others], total, failed + others.length, fresh);
}

async function storeFailures(read: ReadonlySet<PollerEntry>): Promise<Failure[]> {
  const unstored = [...read].filter(({ poller }) => !poller.isStored);
  if (unstored.length === 0) return [];
  const results = await Promise.allSettled(unstored.map(({ poller }) => poller.stored()));
  const failures = results.flatMap((result, index): Failure[] =>
    result.status === "rejected" ? [{ error: result.reason, address: unstored[index]?.address }] : [],
  );
  // A full disk is one failure, not one for each system.
  const reasons = new Set(failures.map(({ error }) => (error instanceof Error ? error.message : error)));
  return reasons.size === 1 ? [{ error: failures[0]?.error }] : failures;
}

function nameOf({ address }: Failure): string | undefined {
  return address && seriesId(address, "telemetry");
}
