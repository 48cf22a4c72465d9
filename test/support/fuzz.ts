// How much the fuzz tests try, and with which seed: a few cases in the main suite, many in the system suite.

/** Cases of one fuzz test. */
export const FUZZ_CASES = Number(process.env["FUZZ_CASES"] ?? 500);

/** Set FUZZ_SEED to repeat a run. */
export const FUZZ_SEED = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
