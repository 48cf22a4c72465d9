// The rule for the two limits of threshold: the lower one is below the upper one.
import type { Fault } from "./setting";

/** A limit that is not known is no fault of the other one. */
export function limitsFault(low: number | undefined, high: number | undefined): Fault | undefined {
  return low !== undefined && high !== undefined && low >= high ? ["limitsOrder"] : undefined;
}
