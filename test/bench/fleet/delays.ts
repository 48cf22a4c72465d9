// How long the event loop stands still, without the time in which other programs have the processors.
import { readFileSync } from "node:fs";

const STEP = 2;

export interface Delays {
  /** In milliseconds. */
  p99: number;
  longest: number;
}

/** Starts measuring; the returned function ends it. */
export function watchDelays(): () => Delays {
  const delays: number[] = [];
  let last = performance.now();
  let lastWaited = waitedForProcessor();
  const tick = (): void => {
    const [now, waited] = [performance.now(), waitedForProcessor()];
    delays.push(Math.max(0, now - last - STEP - (waited - lastWaited)));
    [last, lastWaited] = [now, waited];
    timer = setTimeout(tick, STEP);
  };
  let timer = setTimeout(tick, STEP);
  return () => {
    tick();
    clearTimeout(timer);
    const sorted = delays.toSorted((one, other) => one - other);
    return { p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0, longest: sorted.at(-1) ?? 0 };
  };
}

/** The time in which the main thread was ready to run and did not, in milliseconds; 0 where Linux does not tell. */
function waitedForProcessor(): number {
  try {
    const [, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ");
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
}
