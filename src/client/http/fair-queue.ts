// The order of waiting requests: urgent ones first, callers in turns, and the sites of a caller in turns.
import { type Caller, PRIORITIES } from "./caller";
import { Line, type Place } from "./line";
import { Turns } from "./turns";

/** Every tenth turn goes to less urgent requests, so that none waits forever. */
const TURNS_BEFORE_OTHERS = 10;

/** What waits with one priority, by caller and by site. */
type Rank<T> = Turns<Turns<Line<T>>>;

/** Where a value waits. */
export interface Waiting<T> {
  readonly rank: Rank<T>;
  readonly caller: string;
  readonly site: string;
  readonly place: Place<T>;
}

/** Each operation takes the same short time, however much waits. */
export class FairQueue<T> {
  readonly #ranks = PRIORITIES.map((): { members: Rank<T>; turns: number } => ({
    members: new Turns(),
    turns: 0,
  }));
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a value. Returns where it waits, for `remove`. */
  add(value: T, { id, priority }: Caller, site: string): Waiting<T> {
    const rank = (this.#ranks[PRIORITIES.indexOf(priority)] as { members: Rank<T> }).members;
    const lane = rank.member(id, () => new Turns()).member(site, () => new Line<T>());
    this.#size += 1;
    return { rank, caller: id, site, place: lane.add(value) };
  }

  /** Removes a value that has not been taken. */
  remove({ rank, caller, site, place }: Waiting<T>): void {
    const lanes = rank.find(caller);
    const lane = lanes?.find(site);
    if (!lanes || !lane) return;
    lane.remove(place);
    this.#size -= 1;
    if (lane.isEmpty) lanes.delete(site);
    if (lanes.isEmpty) rank.delete(caller);
  }

  /** Removes and returns the value whose turn it is; undefined if none waits. */
  take(): T | undefined {
    const rank = this.#nextRank();
    const lanes = rank?.first;
    const lane = lanes?.first;
    if (!rank || !lanes || !lane) return undefined;
    this.#size -= 1;
    const value = lane.take();
    lanes.endTurn(!lane.isEmpty);
    rank.endTurn(!lanes.isEmpty);
    return value;
  }

  #nextRank(): Rank<T> | undefined {
    const waiting = this.#ranks.filter(({ members }) => !members.isEmpty);
    const last = waiting.at(-1);
    for (const rank of waiting) {
      if (rank === last) break;
      rank.turns += 1;
      if (rank.turns % TURNS_BEFORE_OTHERS !== 0) return rank.members;
    }
    return last?.members;
  }
}
