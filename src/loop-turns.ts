// Shares the event loop among those who send many records, so that few records are on their way at a time.
import { setImmediate } from "node:timers/promises";
import { AbortedError } from "./errors";
import { waitFor } from "./abort";

/** The most items of a portion: well below the hundred after which V8 takes objects that survive for long-lived. */
const PORTION = 50;

/**
 * Resolves after one turn of the event loop, by which time the next node has received what was sent. Throws AbortedError
 * if aborted in the meantime, because it may not have.
 */
export async function eventLoopTurn(signal: AbortSignal): Promise<void> {
  await setImmediate();
  if (signal.aborted) throw new AbortedError();
}

/** Gives each piece of work a turn of the event loop of its own. */
export class LoopTurns {
  readonly #begun: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  #isGoing = false;

  /** Resolves in a turn after those of all who wait already. Rejects with AbortedError at once when aborted. */
  next(signal?: AbortSignal): Promise<void> {
    const turn = this.#turn(this.#waiting);
    return signal ? waitFor(turn, signal) : turn;
  }

  /** For work that has begun: its turns come before those of work that has not. Rejects like `next`. */
  goOn(signal: AbortSignal): Promise<void> {
    return waitFor(this.#turn(this.#begun), signal);
  }

  #turn(queue: (() => void)[]): Promise<void> {
    return new Promise((resolve) => {
      queue.push(resolve);
      if (!this.#isGoing) void this.#go();
    });
  }

  async #go(): Promise<void> {
    this.#isGoing = true;
    while (this.#begun.length + this.#waiting.length > 0) {
      await endOfThis();
      // Chosen before the turn begins: what someone has sent by now arrives first in it.
      const start = this.#begun.shift() ?? this.#waiting.shift();
      await setImmediate();
      start?.();
    }
    this.#isGoing = false;
  }
}

/** Resolves after everything that this turn of the event loop still does. */
function endOfThis(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** For all who send many records: if several sent theirs in one turn, they would hold the event loop. */
export const loopTurns = new LoopTurns();

/** How to send a portion. */
export interface Sending<Item, Sent> {
  /** Aborts before the next portion. */
  signal: AbortSignal;
  /** Whether everything is one portion. */
  isWhole: boolean;
  send: (portion: readonly Item[]) => Sent;
  /** Called with the result of `send` once the next node has received the portion. */
  received?: (result: Sent) => void;
}

/**
 * Sends items in order, a portion of 50 in each turn of the event loop, and resolves once the next node has received them.
 * Throws AbortedError, and what `send` throws; the portion on its way then does not count as received, and no other is sent.
 */
export async function inPortions<Item, Sent>(
  items: readonly Item[],
  { signal, isWhole, send, received }: Sending<Item, Sent>,
): Promise<void> {
  const size = isWhole ? items.length : PORTION;
  for (let first = 0; first < items.length; first += size) {
    if (signal.aborted) throw new AbortedError();
    const result = send(items.slice(first, first + size));
    const next = first + size < items.length ? loopTurns.goOn(signal) : undefined;
    // Awaited below, unless the run is aborted before.
    next?.catch(() => undefined);
    await eventLoopTurn(signal);
    received?.(result);
    await next;
  }
}

/** How long the items of one turn of `inTurns` may take, in milliseconds. */
const MAX_TURN = 10;

/** Does something for each of many items without holding the event loop. The first turn is synchronous. */
export async function inTurns<T>(items: readonly T[], action: (item: T) => void): Promise<void> {
  let start = performance.now();
  for (const item of items) {
    if (performance.now() - start > MAX_TURN) {
      await setImmediate();
      start = performance.now();
    }
    action(item);
  }
}
