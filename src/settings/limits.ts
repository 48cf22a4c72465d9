// The rule for the two limits of threshold: low must be below high.
import type { Fault } from "./setting";

/** A missing limit is reported for its own field only. */
export function limitsFault(low: number | undefined, high: number | undefined): Fault | undefined {
  return low !== undefined && high !== undefined && low >= high ? ["limitsOrder"] : undefined;
}
