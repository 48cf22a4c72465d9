// How much the property tests try, and with which seed: a few cases in the main suite, many in the system suite.

/** Cases of one test: FUZZ_CASES, or as many as the main suite has time for. */
export function casesOf(usual: number): number {
  return Number(process.env["FUZZ_CASES"] ?? usual);
}

/** Set FUZZ_SEED to repeat a run. */
export const FUZZ_SEED = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
