// One pass over a range of history: which records of each answer to hand on, so that each comes once and in order.
import { DueRecord } from "../ledger/due-record";
import type { TimedRecord } from "../models/timed-record";
import { isInWindow, type TimeWindow } from "../ledger/window";

export class HistoryPass {
  #newest: DueRecord | undefined;
  /** Handed on with an earlier window and reaching past its end: the next answer holds them again. */
  #crossing: DueRecord[] = [];

  /** The records of the next window that are to be handed on. One that has not ended yet is left out. */
  take(answer: readonly TimedRecord[], window: TimeWindow, now: number): DueRecord[] {
    const known = new Set(this.#crossing.map(({ start }) => start));
    const due = answer
      .filter((timed) => timed.end <= now && isInWindow(timed, window) && !known.has(timed.start))
      .map((timed) => this.#due(timed));
    this.#crossing = [...this.#crossing, ...due].filter(({ end }) => end > window.end);
    return due;
  }

  /** Where to start again for the windows from this one on, so that nothing handed on comes twice; milliseconds. */
  startFor(window: TimeWindow): number {
    return Math.max(window.start, this.#newest?.end ?? window.start);
  }

  #due(timed: TimedRecord): DueRecord {
    const newest = this.#newest;
    const cursor = newest && newest.end > timed.end ? newest.cursor : timed.record.endTime;
    const due = new DueRecord(timed, "catchup", cursor);
    if (!newest || newest.end <= timed.end) this.#newest = due;
    return due;
  }
}
