// The virtual time of a soak: it moves only when all work is done, and the machine's date can be set apart from it.
import sinon from "sinon";
import { idle } from "../support/idle";

const FAKED = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;

export class VirtualTime {
  #clock: sinon.SinonFakeTimers | undefined;
  /** Local time minus true time, in milliseconds. */
  #offset = 0;
  #isMoving = false;

  constructor(private readonly start: number) {}

  /** From now on, dates and timers of this process are virtual, and so is the monotonic clock. */
  begin(): void {
    this.#clock = sinon.useFakeTimers({ now: this.start, toFake: [...FAKED] });
    // As in Node.js: fractions are cut off, and nothing is shorter than a millisecond.
    const { setTimeout: virtual } = globalThis;
    const timeout = (work: () => void, ms = 0, ...values: []): NodeJS.Timeout =>
      virtual(work, Math.max(Math.trunc(ms) || 0, 1), ...values);
    globalThis.setTimeout = Object.assign(timeout, virtual);
    // Not a stub, because that remembers every call.
    performance.now = () => this.now - this.start;
  }

  /** The true time, which is that of the service, in milliseconds since the epoch. */
  get now(): number {
    return this.#clock ? Date.now() - this.#offset : this.start;
  }

  /** Timers that have been set and have neither fired nor been cleared. */
  get timers(): number {
    return this.#clock?.countTimers() ?? 0;
  }

  /** Sets the machine's clock to true time plus the offset. Timers and the monotonic clock do not notice. */
  setLocalClock(offset: number): void {
    this.#clock?.setSystemTime(this.now + offset);
    this.#offset = offset;
  }

  /** Lets time pass until the given true time, or until the promise settles. */
  async pass(until: number, end?: Promise<unknown>): Promise<void> {
    if (this.#isMoving) throw new Error("Time already passes");
    this.#isMoving = true;
    let isOver = false;
    const stop = (): void => void (isOver = true);
    end?.then(stop, stop);
    const timer = setTimeout(stop, Math.max(until - this.now, 0));
    for (;;) {
      await idle();
      if (isOver) break;
      this.#clock?.next();
    }
    clearTimeout(timer);
    this.#isMoving = false;
  }
}
