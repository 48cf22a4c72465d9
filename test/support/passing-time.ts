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
