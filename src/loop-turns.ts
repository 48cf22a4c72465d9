// Shares the event loop among those who send many records, so that few of them are on their way at a time.
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Abortable } from "./abort";
import { AbortedError } from "./errors";

/** The most items of a portion. V8 judges what it finds alive in a garbage collection from a hundred objects of a kind on. */
const PORTION = 50;
/**
 * How long a process that has sent its first portion waits for the next. Node-RED may just have started, and the garbage collection
 * of what that left counts whatever is sent meanwhile as alive: V8 would take messages for long-lived from then on.
 */
const SETTLING_MS = 200;
/** The real one, even for tests that fake time. */
const pause = setTimeout;

/**
 * Resolves after one turn of the event loop, by which time the next node has received what was sent. Throws AbortedError
 * if aborted in the meantime, because it may not have.
 */
export async function eventLoopTurn(signal: Abortable): Promise<void> {
  await setImmediate();
  if (signal.aborted) throw new AbortedError();
}

/** Resolves in the next turn of the event loop, after everything that this one still adds to it. */
function afterThis(): Promise<void> {
  return new Promise((resolve) => process.nextTick(() => void setImmediate().then(resolve)));
}

/** Gives each piece of work a turn of the event loop of its own. */
export class LoopTurns {
  readonly #waiting: (() => void)[] = [];
  readonly #settle: () => Promise<void>;
  #settled: Promise<void> | undefined;
  #isGoing = false;

  /** @param settle what all wait for once, when work goes on for the first time; never rejects */
  constructor(settle: () => Promise<void>) {
    this.#settle = settle;
  }

  /** Resolves in the turn after that of whoever waits already. Throws AbortedError if aborted in the meantime. */
  next(signal?: Abortable): Promise<void> {
    return this.#turn((start) => this.#waiting.push(start), signal);
  }

  /** For work that has begun: resolves in the next turn, before what has not begun. Otherwise as `next`. */
  goOn(signal: Abortable): Promise<void> {
    this.#settled ??= this.#settle();
    return this.#turn((start) => this.#waiting.unshift(start), signal);
  }

  async #turn(add: (start: () => void) => void, signal: Abortable | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      add(resolve);
      if (!this.#isGoing) void this.#go();
    });
    if (signal?.aborted === true) throw new AbortedError();
  }

  async #go(): Promise<void> {
    this.#isGoing = true;
    while (this.#waiting.length > 0) {
      await afterThis();
      await this.#settled;
      this.#waiting.shift()?.();
    }
    this.#isGoing = false;
  }
}

/**
 * For whoever goes on with many records: if several sent theirs in one turn, they would hold the event loop, and all of it would
 * have to survive until the flow receives it, which V8 then takes for long-lived.
 */
export const loopTurns = new LoopTurns(() => pause(SETTLING_MS, undefined, { ref: false }));

/** How to send a portion. */
export interface Sending<Item, Sent> {
  /** Aborts before the next portion. */
  signal: Abortable;
  /** Whether everything is one portion. */
  isWhole: boolean;
  send: (portion: readonly Item[]) => Sent;
  /** Called with the result of `send` once the next node has received the portion. */
  received: (result: Awaited<Sent>) => void;
}

/**
 * Sends items in order, a portion in each turn of the event loop, and resolves once the next node has received them.
 * Throws AbortedError, and what `send` throws.
 */
export async function inPortions<Item, Sent>(
  items: readonly Item[],
  { signal, isWhole, send, received }: Sending<Item, Sent>,
): Promise<void> {
  const size = isWhole ? items.length : PORTION;
  for (let first = 0; first < items.length; first += size) {
    if (signal.aborted) throw new AbortedError();
    const result = await send(items.slice(first, first + size));
    if (first + size < items.length) await loopTurns.goOn(signal);
    else await eventLoopTurn(signal);
    received(result);
  }
}
