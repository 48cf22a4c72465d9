// Starts undici's timer before any test fakes `setTimeout`: undici keeps the first one that it gets, and one of a fake clock never
// fires once that is restored, so that connections would hang in whatever tests come next in this process.
import { createRequire } from "node:module";

const timers = createRequire(require.resolve("undici"))("./lib/util/timers.js") as {
  setFastTimeout(action: () => void, ms: number): unknown;
};

timers.setFastTimeout(() => undefined, 0);
