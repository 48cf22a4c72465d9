// Windows of one series for which every request fails while others succeed: they must not hold up what comes after them.
import { isInWindow, type TimeWindow } from "../ledger/window";
import { HOUR, MINUTE } from "../time-units";

/** Times in milliseconds since the epoch. */
interface FailingWindow extends TimeWindow {
  readonly nextRequest: number;
  readonly pause: number;
  /** How many times in a row both halves failed: perhaps all of it is failing. */
  readonly solid: number;
}

const FIRST_PAUSE = 5 * MINUTE;
const MAX_PAUSE = HOUR;
/** A window this short is not halved: records typically take that long. */
const MIN_WINDOW = 5 * MINUTE;
/** Both halves may fail because what fails lies between them, but hardly twice. */
const MAX_SOLID = 1;
/** More windows than this are not halved any further. */
const MAX_WINDOWS = 300;

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

  /** Notes a window that fails; it is due at once, to be narrowed down. */
  add({ start, end }: TimeWindow, now: number): void {
    this.#put([{ start, end, nextRequest: now, pause: FIRST_PAUSE, solid: 0 }]);
  }

  /**
   * The window to request next: one to be narrowed down at once, longest first, or one whose pause is over. Undefined if none
   * is due.
   */
  due(now: number): { window: TimeWindow; isUrgent: boolean } | undefined {
    const due = this.#windows.filter((one) => isDue(one, now));
    const [urgent] = due.filter(isUrgent).toSorted((a, b) => b.end - b.start - (a.end - a.start));
    const [other] = due.toSorted((a, b) => a.nextRequest - b.nextRequest);
    const window = urgent ?? other;
    return window && { window, isUrgent: isUrgent(window) };
  }

  /** What a message requests although it is not due: the last window of each stretch. */
  ends(now: number): TimeWindow[] {
    return this.#windows.filter(
      (one) => !isDue(one, now) && !this.#windows.some(({ start }) => start === one.end),
    );
  }

  /** There is an answer again. */
  answered(window: TimeWindow): void {
    this.#remove(window);
  }

  /** It failed again. The halves to request instead, if it is long enough. */
  failed(window: TimeWindow, now: number): TimeWindow[] {
    const { start, end } = window;
    const isShort = end - start <= MIN_WINDOW || this.#windows.length >= MAX_WINDOWS;
    if (isShort) {
      this.#postpone(window, now);
      return [];
    }
    const middle = Math.round((start + end) / 2 / MINUTE) * MINUTE;
    return [
      { start, end: middle },
      { start: middle, end },
    ];
  }

  /**
   * The halves of a window were requested. A half that fails while the other is answered is narrowed down at once. Where both
   * fail again and again, all of it may be failing: that is found out slowly, so that it costs few requests.
   */
  halved(window: TimeWindow, failing: readonly TimeWindow[], now: number): void {
    const before = this.#remove(window)?.solid ?? 0;
    const solid = failing.length > 1 ? before + 1 : 0;
    const pause = Math.min(FIRST_PAUSE * 2 ** Math.max(0, solid - MAX_SOLID - 1), MAX_PAUSE);
    const nextRequest = solid > MAX_SOLID ? now + pause : now;
    this.#put(failing.map(({ start, end }) => ({ start, end, nextRequest, pause, solid })));
  }

  /** The pause doubles, up to an hour. */
  #postpone(window: TimeWindow, now: number): void {
    const known = this.#remove(window);
    if (!known) return;
    const pause = Math.min(known.pause * 2, MAX_PAUSE);
    this.#put([{ ...known, nextRequest: now + pause, pause }]);
  }

  #remove({ start, end }: TimeWindow): FailingWindow | undefined {
    const found = this.#windows.find((one) => one.start === start && one.end === end);
    this.#windows = this.#windows.filter((one) => one !== found);
    return found;
  }

  #put(windows: FailingWindow[]): void {
    this.#windows = [...this.#windows, ...windows].toSorted((a, b) => a.start - b.start);
  }
}

/** A time further away than the pause was set by a clock that was ahead. */
function isDue({ nextRequest, pause }: FailingWindow, now: number): boolean {
  return now >= nextRequest || nextRequest - now > pause;
}

function isUrgent({ start, end, solid }: FailingWindow): boolean {
  return solid <= MAX_SOLID && end - start > MIN_WINDOW;
}

function outside(part: TimeWindow, failing: TimeWindow): TimeWindow[] {
  if (!isInWindow(part, failing)) return [part];
  const before = { start: part.start, end: Math.min(part.end, failing.start) };
  const after = { start: Math.max(part.start, failing.end), end: part.end };
  return [before, after].filter(({ start, end }) => start < end);
}
