// Selects the records to send from each response of a history run, so that each is sent once and in order.
import { DueRecord } from "../ledger/due-record";
import type { TimedRecord } from "../models/timed-record";
import { cursorText } from "../ledger/ledger";
import { isInWindow, type TimeWindow } from "../ledger/window";

export class HistoryPass {
  #newest: DueRecord | undefined;
  /** Records sent with an earlier window that reach past its end: the next response contains them again. */
  #crossing: DueRecord[] = [];

  /** The records of the next window to send, without those that have not ended yet. `now` in milliseconds. */
  select(response: readonly TimedRecord[], window: TimeWindow, now: number): DueRecord[] {
    const known = new Set(this.#crossing.map(({ start }) => start));
    const due = response
      .filter((timed) => timed.end <= now && isInWindow(timed, window) && !known.has(timed.start))
      .map((timed) => this.#due(timed));
    this.#crossing = [...this.#crossing, ...due].filter(({ end }) => end > window.end);
    return due;
  }

  /** Where to resume before this window so that no record is sent twice, in milliseconds. */
  resumeFrom(window: TimeWindow): number {
    return Math.max(window.start, this.#newest?.end ?? window.start);
  }

  #due(timed: TimedRecord): DueRecord {
    const newest = this.#newest;
    const cursor = newest && newest.end > timed.end ? newest.cursor : cursorText(timed);
    const due = new DueRecord(timed, "catchup", cursor);
    if (!newest || newest.end <= timed.end) this.#newest = due;
    return due;
  }
}
