// How much the property tests try, and with which seed: a few cases in the main suite, many in the system suite.
import fc from "fast-check";

/** Cases of one test: FUZZ_CASES, or as many as the main suite has time for. */
export function casesOf(usual: number): number {
  return Number(process.env["FUZZ_CASES"] ?? usual);
}

/** Every run tries the same cases, so that a failure is of the change at hand. FUZZ_SEED=random draws others. */
const { FUZZ_SEED = "1" } = process.env;

fc.configureGlobal({ seed: FUZZ_SEED === "random" ? Date.now() % 2 ** 31 : Number(FUZZ_SEED) });
