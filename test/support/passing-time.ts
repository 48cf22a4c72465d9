// Simulated time that passes for all clocks alike: when the date is set forward, so is the monotonic clock.
import sinon from "sinon";
import { sharedClock } from "../../src/clock";

/** Fakes the date and the monotonic clock, and the given timers, until `restore` is called. */
export function usePassingTime(
  now: number,
  timers: readonly ("setTimeout" | "clearTimeout")[] = [],
): sinon.SinonFakeTimers {
  const clock = sinon.useFakeTimers({ now, toFake: ["Date", ...timers] });
  const start = performance.now() - now;
  // Not a stub, which would keep every call.
  Reflect.set(performance, "now", () => start + Date.now());
  const restore = clock.restore.bind(clock);
  clock.restore = () => {
    Reflect.deleteProperty(performance, "now");
    restore();
    // A jump: the next test is not to know of this one.
    sharedClock.now();
  };
  return clock;
}

/** Sets the date alone, as by a sleep or by hand; time passes for all clocks alike again afterwards. */
export function jump(clock: sinon.SinonFakeTimers, by: number): void {
  const start = performance.now() - Date.now() - by;
  Reflect.set(performance, "now", () => start + Date.now());
  clock.setSystemTime(Date.now() + by);
}

/** Does some work while each look at the clock takes a millisecond: after ten looks, others have a turn. */
export async function atSlowPace<T>(work: () => Promise<T>): Promise<T> {
  let now = performance.now();
  Reflect.set(performance, "now", () => (now += 1));
  try {
    return await work();
  } finally {
    Reflect.deleteProperty(performance, "now");
  }
}
