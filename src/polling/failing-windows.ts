// Windows of one series for which every request fails while others succeed: they must not hold up what comes after them.
import { isInWindow, MAX_WINDOW, type TimeWindow } from "../ledger/window";
import { HOUR, MINUTE } from "../time-units";

/** Times in milliseconds since the epoch. */
interface FailingWindow extends TimeWindow {
  nextAsk: number;
  pause: number;
}

const FIRST_PAUSE = 5 * MINUTE;
const MAX_PAUSE = HOUR;

/** Known to this process only: after a restart they are found again. */
export class FailingWindows {
  #windows: FailingWindow[] = [];

  /** The parts of a window outside of the failing ones, in order. */
  around(window: TimeWindow): TimeWindow[] {
    let parts = [{ start: window.start, end: window.end }];
    for (const failing of this.#windows) parts = parts.flatMap((part) => outside(part, failing));
    return parts;
  }

  /** The parts of a window that are failing. */
  within(window: TimeWindow): TimeWindow[] {
    return this.#windows
      .filter((failing) => isInWindow(failing, window))
      .map(({ start, end }) => ({ start: Math.max(start, window.start), end: Math.min(end, window.end) }));
  }

  add(windows: readonly TimeWindow[], now: number): void {
    for (const { start, end } of windows) {
      const neighbors = this.#windows.filter((one) => one.start <= end && start <= one.end);
      this.#windows = this.#windows.filter((one) => !neighbors.includes(one));
      const merged = [{ start, end }, ...neighbors];
      this.#windows.push({
        start: Math.min(...merged.map((one) => one.start)),
        end: Math.max(...merged.map((one) => one.end)),
        nextAsk: now + FIRST_PAUSE,
        pause: FIRST_PAUSE,
      });
    }
    this.#windows.sort((a, b) => a.start - b.start);
  }

  /** What to ask for again: at most a day of each, its last. All in a run that a message triggers. */
  due(now: number, isTriggered: boolean): TimeWindow[] {
    return this.#windows
      .filter(({ nextAsk, pause }) => isTriggered || now >= nextAsk || nextAsk - now > pause)
      .map(({ start, end }) => ({ start: Math.max(start, end - MAX_WINDOW), end }));
  }

  /** There is an answer again for the end of a failing window: the rest is asked for next. */
  answered({ start, end }: TimeWindow): void {
    this.#windows = this.#windows.flatMap((one) =>
      one.end !== end ? [one] : one.start < start ? [{ ...one, end: start, nextAsk: 0 }] : [],
    );
  }

  /** It failed again: the pause doubles, up to an hour. */
  failed({ end }: TimeWindow, now: number): void {
    this.#windows = this.#windows.map((one) => {
      const pause = Math.min(one.pause * 2, MAX_PAUSE);
      return one.end === end ? { ...one, nextAsk: now + pause, pause } : one;
    });
  }
}

function outside(part: TimeWindow, failing: TimeWindow): TimeWindow[] {
  if (!isInWindow(part, failing)) return [part];
  const before = { start: part.start, end: Math.min(part.end, failing.start) };
  const after = { start: Math.max(part.start, failing.end), end: part.end };
  return [before, after].filter(({ start, end }) => start < end);
}
