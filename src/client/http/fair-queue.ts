// The order in which waiting requests get their turn: by priority, callers in turns, and the sites of a caller in turns.
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

type BySite<T> = Map<string, Set<T>>;

/** What waits with one priority. The first caller, and its first site, have the next turn; then they go to the end. */
interface Rank<T> {
  readonly callers: Map<string, BySite<T>>;
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
  add(value: T, { id, priority }: Caller, site: string): () => void {
    const { callers } = this.#ranks[priority];
    const sites = callers.get(id) ?? new Map<string, Set<T>>();
    const values = sites.get(site) ?? new Set<T>();
    callers.set(id, sites.set(site, values.add(value)));
    this.#size += 1;
    return () => {
      if (!values.delete(value)) return;
      this.#size -= 1;
      if (values.size === 0) sites.delete(site);
      if (sites.size === 0) callers.delete(id);
    };
  }

  /** Removes and returns the value whose turn it is; undefined if none waits. */
  take(): T | undefined {
    const { callers } = this.#nextRank() ?? {};
    const [caller] = callers ?? [];
    const [site] = caller?.[1] ?? [];
    const [value] = site?.[1] ?? [];
    if (!callers || !caller || !site || value === undefined) return undefined;
    this.#size -= 1;
    site[1].delete(value);
    endTurn(caller[1], site);
    endTurn(callers, caller);
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

/** Moves the first member to the end, or removes it if nothing of it waits any more. */
function endTurn<Members extends { readonly size: number }>(
  turns: Map<string, Members>,
  [key, members]: [string, Members],
): void {
  turns.delete(key);
  if (members.size > 0) turns.set(key, members);
}
