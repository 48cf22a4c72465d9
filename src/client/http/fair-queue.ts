// The order in which waiting requests get their turn: by priority, and callers in turns.
import { byName } from "../../objects";

/** Most urgent first: a person or a message waits, a schedule is due, a dialog is open, or records of the past are read. */
export const PRIORITIES = ["user", "schedule", "dialog", "backlog"] as const;

export type Priority = (typeof PRIORITIES)[number];

/** Who makes a request. */
export interface Caller {
  /** Such as the id of a node: callers of the same priority take turns. */
  readonly id: string;
  readonly priority: Priority;
}

/** For requests that name no caller. */
export const ANYONE: Caller = { id: "", priority: "user" };

/** Every tenth turn goes to less urgent requests, so that none waits forever. */
const TURNS_BEFORE_OTHERS = 10;

/** What waits with one priority, by caller. The first caller has the next turn; then it goes to the end. */
interface Rank<T> {
  readonly callers: Map<string, Set<T>>;
  turns: number;
}

/** Each operation takes the same short time, however much waits. */
export class FairQueue<T> {
  readonly #ranks = byName(PRIORITIES, (): Rank<T> => ({ callers: new Map(), turns: 0 }));
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a value. Returns a function that removes it, unless it has been taken. */
  add(value: T, { id, priority }: Caller): () => void {
    const { callers } = this.#ranks[priority];
    const values = callers.get(id) ?? new Set();
    callers.set(id, values.add(value));
    this.#size += 1;
    return () => {
      if (!values.delete(value)) return;
      this.#size -= 1;
      if (values.size === 0) callers.delete(id);
    };
  }

  /** Removes and returns the value whose turn it is; undefined if none waits. */
  take(): T | undefined {
    const { callers } = this.#nextRank() ?? {};
    const [caller] = callers ?? [];
    const [value] = caller?.[1] ?? [];
    if (!callers || !caller || value === undefined) return undefined;
    const [id, values] = caller;
    this.#size -= 1;
    values.delete(value);
    callers.delete(id);
    if (values.size > 0) callers.set(id, values);
    return value;
  }

  #nextRank(): Rank<T> | undefined {
    const waiting = Object.values(this.#ranks).filter(({ callers }) => callers.size > 0);
    const last = waiting.at(-1);
    for (const rank of waiting) {
      if (rank === last) break;
      rank.turns += 1;
      if (rank.turns % TURNS_BEFORE_OTHERS !== 0) return rank;
    }
    return last;
  }
}
