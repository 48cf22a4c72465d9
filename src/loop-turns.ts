// Shares the event loop among those who send many records, so that few records are on their way at a time.
import { setImmediate } from "node:timers/promises";
import { AbortedError, InputError } from "./errors";
import { waitFor } from "./abort";
import { MAX_SENT } from "./limits";

/** The most items of a portion: well below the hundred after which V8 takes objects that survive for long-lived. */
const PORTION = 50;

/** How long one turn may take, in milliseconds. */
const MAX_TURN = 10;
/** How long it may take to send a portion, in milliseconds, before the next one is smaller. */
const MAX_PORTION = 50;

/**
 * Resolves after one turn of the event loop, by which time the next node has received what was sent. Throws AbortedError
 * if aborted in the meantime, because it may not have.
 */
export async function eventLoopTurn(signal?: AbortSignal): Promise<void> {
  await setImmediate();
  if (signal?.aborted) throw new AbortedError();
}

/** Gives each piece of work a turn of the event loop of its own. */
export class LoopTurns {
  readonly #begun: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  #isGoing = false;

  /** Resolves in a turn after those of all who wait already. Rejects with AbortedError at once when aborted. */
  next(signal: AbortSignal): Promise<void> {
    return waitFor(this.#turn(this.#waiting), signal);
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
      // After everything that this turn still does.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      // Chosen before the turn begins: what has been sent by now arrives first in it.
      const start = this.#begun.shift() ?? this.#waiting.shift();
      await setImmediate();
      start?.();
    }
    this.#isGoing = false;
  }
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
 * Sends items in order, a portion of up to 50 in each turn of the event loop, fewer if they are large, and resolves once the next node has received them.
 * Throws AbortedError, and what `send` throws; the portion on its way then does not count as received, and no other is sent.
 */
export async function inPortions<Item, Sent>(
  items: readonly Item[],
  { signal, isWhole, send, received }: Sending<Item, Sent>,
): Promise<void> {
  let size = isWhole ? items.length : PORTION;
  let first = 0;
  while (first < items.length) {
    if (signal.aborted) throw new AbortedError();
    const start = performance.now();
    const result = send(items.slice(first, first + size));
    first += size;
    if (!isWhole) size = performance.now() - start > MAX_PORTION ? Math.ceil(size / 2) : PORTION;
    const next = first < items.length ? loopTurns.goOn(signal) : undefined;
    // Awaited below, unless the run is aborted before.
    next?.catch(() => undefined);
    await eventLoopTurn(signal);
    received?.(result);
    await next;
  }
}

/**
 * Does something for each of many items, which may be made as they are needed, without holding the event loop. The first turn is
 * synchronous. Throws AbortedError if aborted before the last turn.
 */
export async function inTurns<T>(
  items: Iterable<T>,
  action: (item: T) => void,
  signal?: AbortSignal,
): Promise<void> {
  let start = performance.now();
  for (const item of items) {
    if (performance.now() - start > MAX_TURN) {
      await eventLoopTurn(signal);
      start = performance.now();
    }
    action(item);
  }
}

/** Throws InputError if a message would make more messages or points than one may. */
export function assertSendable(count: number): void {
  if (count > MAX_SENT) throw new InputError("messageMakesTooMany", { count, most: MAX_SENT });
}
