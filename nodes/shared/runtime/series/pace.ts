// Spreads the series of a run over time, so that many of them make no burst of requests.
import { systemClock } from "../../../../src/clock";
import { AbortedError } from "../../../../src/errors";
import { sleep, withSignal } from "../../../../src/abort";
import type { Input } from "../lifecycle/lifecycle";

/** How many series start at once. */
const FREE_STARTS = 4;

const NOW = Promise.resolve();

export class Pace {
  readonly #input: Pick<Input, "signal" | "hurry">;
  /** Milliseconds between two starts. */
  readonly #spacing: number;
  #started = 0;
  #due: number;
  #lastTurn: Promise<void> = Promise.resolve();
  readonly #over = new AbortController();

  constructor(input: Pick<Input, "signal" | "hurry" | "spread">, count: number) {
    const now = systemClock.monotonic();
    const { maxPause, until } = input.spread ?? { maxPause: 0, until: now };
    this.#input = input;
    this.#spacing = Math.max(Math.min(maxPause, (until - now) / count), 0);
    this.#due = now;
  }

  /** Resolves when the next series may start. Does not wait while other work does. Rejects with AbortedError. */
  turn(): Promise<void> {
    if (this.#spacing === 0 && !this.#input.signal.aborted) return NOW;
    const turn = this.#lastTurn.then(() => this.#wait());
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /** Must be called when no other series will start: nobody waits any more. */
  end(): void {
    this.#over.abort();
  }

  async #wait(): Promise<void> {
    const { signal, hurry } = this.#input;
    if (signal.aborted) throw new AbortedError();
    this.#started += 1;
    if (this.#started <= FREE_STARTS) return;
    this.#due += this.#spacing;
    const pause = Math.min(this.#due - systemClock.monotonic(), this.#spacing);
    if (pause <= 0) return;
    await withSignal([signal, hurry, this.#over.signal], (either) => sleep(pause, either)).catch(
      (error: unknown) => {
        if (signal.aborted) throw error;
      },
    );
  }
}
