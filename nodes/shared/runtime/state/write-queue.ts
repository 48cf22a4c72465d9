// Writes states one batch at a time: of each state the newest, together with all that wait when a write begins.
import { systemClock } from "../../../../src/clock";
import type { StateForm } from "../../../../src/stored-state";

export interface Entry {
  /** Undefined removes it. */
  readonly state: unknown;
  /** What to write for it. Called when it is written: a state that is replaced before costs nothing. */
  readonly stored: () => unknown;
}

export function entryOf<State>({ toStored }: StateForm<State>, state: State | undefined): Entry {
  return { state, stored: () => (state === undefined || !toStored ? state : toStored(state)) };
}

type Batch = ReadonlyMap<string, Entry>;

export class WriteQueue {
  readonly #write: (batch: Batch) => Promise<void>;
  /** What the next write takes, by id. */
  #waiting = new Map<string, Entry>();
  #next: Promise<void> | undefined;
  /** Lets the next write begin once the one under way has ended. */
  #begin: () => void = () => undefined;
  /** When it begins by itself, on the monotonic clock. */
  #due = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #writing: Batch = new Map();
  #current = Promise.resolve();

  /** @param write resolves once a batch survives a crash; called again only when it has settled */
  constructor(write: (batch: Batch) => Promise<void>) {
    this.#write = write;
  }

  get isIdle(): boolean {
    return this.#waiting.size + this.#writing.size === 0;
  }

  /**
   * Settles with the write of the state, or of a newer one.
   * @param within how long the write may wait for others, in milliseconds
   */
  add(id: string, entry: Entry, within: number): Promise<void> {
    const beingWritten = this.#waiting.has(id) ? undefined : this.#writing.get(id);
    if (beingWritten && beingWritten.state === entry.state) return this.#current;
    this.#waiting.set(id, entry);
    this.#next ??= this.#writeNext();
    const now = systemClock.monotonic();
    const due = Math.min(this.#due, now + within);
    if (due <= now) {
      this.#begin();
    } else if (due < this.#due) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.#begin, within);
    }
    this.#due = due;
    return this.#next;
  }

  /** Begins to write what waits. Resolves once no write of this state, or of any without an id, is under way. */
  async settled(id?: string): Promise<void> {
    const isMeant = (batch: Batch): boolean => (id === undefined ? batch.size > 0 : batch.has(id));
    if (isMeant(this.#waiting)) {
      this.#begin();
      await this.#next?.catch(() => undefined);
    } else if (isMeant(this.#writing)) await this.#current.catch(() => undefined);
  }

  async #writeNext(): Promise<void> {
    const begun = new Promise<void>((resolve) => (this.#begin = resolve));
    await Promise.allSettled([this.#current, begun]);
    clearTimeout(this.#timer);
    this.#due = Number.POSITIVE_INFINITY;
    this.#next = undefined;
    this.#writing = this.#waiting;
    this.#waiting = new Map();
    this.#current = this.#write(this.#writing).finally(() => (this.#writing = new Map()));
    return this.#current;
  }
}
