// Saves the decisions of a threshold node: at once after a decision, otherwise once a minute at most.
import type { Clock } from "../../src/clock";
import type { StoredState } from "../../src/stored-state";
import { MINUTE } from "../../src/time-units";
import { type StoredDecision, storedDecision } from "../../src/decisions/stored-decisions";

export class DecisionStore {
  readonly #stored: StoredState<StoredDecision[]>;
  readonly #clock: Clock;
  /** On the monotonic clock. */
  #savedAt = Number.NEGATIVE_INFINITY;
  #hasChanges = false;
  #hasFailed = false;
  #writing: Promise<void> | undefined;
  /** The write after the present one. */
  #next: Promise<void> | undefined;

  constructor(stored: StoredState<StoredDecision[]>, clock: Clock) {
    this.#stored = stored;
    this.#clock = clock;
  }

  /** Throws StoreError. */
  async load(): Promise<StoredDecision[]> {
    return (await this.#stored.load()) ?? [];
  }

  /** There is something to save within the next minute. */
  markChanged(): void {
    this.#hasChanges = true;
  }

  /** When `saveIfDue` should be called, on the monotonic clock; Infinity = never. */
  get due(): number {
    return this.#hasChanges ? this.#savedAt + MINUTE : Number.POSITIVE_INFINITY;
  }

  /**
   * Saves what has been decided by the time it is written: everything that is to be saved during a write shares the next one.
   * Throws StoreError.
   */
  save(decisions: () => Iterable<StoredDecision>): Promise<void> {
    if (!this.#writing) return this.#startWriting(decisions);
    this.#next ??= this.#writing
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#startWriting(decisions);
      });
    return this.#next;
  }

  #startWriting(decisions: () => Iterable<StoredDecision>): Promise<void> {
    this.#writing = this.#write(decisions).finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  async #write(decisions: () => Iterable<StoredDecision>): Promise<void> {
    const stored = [...decisions()].map(storedDecision);
    if (stored.length === 0) return;
    this.#savedAt = this.#clock.monotonic();
    this.#hasChanges = false;
    try {
      await this.#stored.set(stored);
      await this.#stored.flush();
      this.#hasFailed = false;
    } catch (error) {
      this.#hasChanges = true;
      throw error;
    }
  }

  /** Throws StoreError the first time; while the store goes on failing, only a decision reports it again. */
  async saveIfDue(decisions: () => Iterable<StoredDecision>): Promise<void> {
    if (this.due > this.#clock.monotonic()) return;
    try {
      await this.save(decisions);
    } catch (error) {
      const isNews = !this.#hasFailed;
      this.#hasFailed = true;
      if (isNews) throw error;
    }
  }

  /** On close. Waits for what is being saved, too. Never rejects. */
  async saveChanges(decisions: () => Iterable<StoredDecision>): Promise<void> {
    const saved = this.#hasChanges ? this.save(decisions) : (this.#next ?? this.#stored.flush());
    await saved.catch(() => undefined);
  }
}
