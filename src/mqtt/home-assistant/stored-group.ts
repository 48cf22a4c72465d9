// Stores the entries of a group: each when it has changed in a way that must survive a crash, the others only now and then.
import type { StateGroup } from "../../stored-state";

/** How many files a flush writes at a time, so that closing a node with many entries does not take long. */
const PARALLEL_WRITES = 8;

export interface StoredGroupRule<Entry> {
  /** Names an entry within the group. */
  idOf: (entry: Entry) => string;
  /** Whether an entry that differs from the saved one must be written now; `age` of the saved one in milliseconds. */
  isDue: (saved: Entry, entry: Entry, age: number) => boolean;
}

interface Saved<Entry> {
  entry: Entry;
  /** In milliseconds. */
  at: number;
}

export class StoredGroup<Entry extends object> {
  readonly #group: StateGroup<Entry>;
  readonly #rule: StoredGroupRule<Entry>;
  readonly #saved = new Map<string, Saved<Entry>>();
  /** The ids to write or remove. One that fails goes to the end, so that it does not hold up the others. */
  readonly #pending = new Set<string>();
  #entries: ReadonlyMap<string, Entry> = new Map();

  constructor(group: StateGroup<Entry>, rule: StoredGroupRule<Entry>) {
    this.#group = group;
    this.#rule = rule;
  }

  /** By id, in the order of the ids. `now` in milliseconds. Rejects with StoreError. */
  async load(now: number): Promise<ReadonlyMap<string, Entry>> {
    const stored = await this.#group.load();
    const entries = stored.map((entry) => [this.#rule.idOf(entry), entry] as const);
    entries.sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [id, entry] of entries) this.#saved.set(id, { entry, at: now });
    this.#entries = new Map(entries);
    return this.#entries;
  }

  /**
   * Writes the entries that must survive a crash now, and removes those that are gone. `now` in milliseconds. Rejects with
   * StoreError; the next call tries the rest. An entry that has changed is a new object.
   */
  async save(entries: ReadonlyMap<string, Entry>, now: number): Promise<void> {
    // The clock may have been set back.
    this.#note(entries, (saved, entry) => this.#rule.isDue(saved.entry, entry, Math.abs(now - saved.at)));
    await this.#writePending(now);
  }

  /** Writes everything that has changed. `now` in milliseconds. Rejects with StoreError. */
  async flush(now: number): Promise<void> {
    this.#note(this.#entries, () => true);
    await Promise.all(Array.from({ length: PARALLEL_WRITES }, () => this.#writePending(now)));
  }

  #note(entries: ReadonlyMap<string, Entry>, isDue: (saved: Saved<Entry>, entry: Entry) => boolean): void {
    this.#entries = entries;
    for (const [id, entry] of entries) {
      const saved = this.#saved.get(id);
      if (!saved || (saved.entry !== entry && isDue(saved, entry))) this.#pending.add(id);
    }
    for (const id of this.#saved.keys()) if (!entries.has(id)) this.#pending.add(id);
  }

  async #writePending(now: number): Promise<void> {
    for (let id = this.#next(); id !== undefined; id = this.#next()) {
      try {
        await this.#write(id, now);
      } catch (error) {
        this.#pending.add(id);
        throw error;
      }
    }
  }

  /** Takes the next id, so that parallel writers never have the same one. */
  #next(): string | undefined {
    const [id] = this.#pending;
    if (id !== undefined) this.#pending.delete(id);
    return id;
  }

  async #write(id: string, now: number): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry) {
      await this.#group.save(id, entry);
      this.#saved.set(id, { entry, at: now });
    } else {
      await this.#group.remove(id);
      this.#saved.delete(id);
    }
  }
}
