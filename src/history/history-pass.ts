// Selects what each response adds to the records of a history run.
import type { DueRecord } from "../ledger/due-records";
import { cursorText } from "../ledger/ledger";
import { isInWindow, type TimeWindow } from "../ledger/window";
import type { TimedRecord } from "../models/telemetry";

/** Selects the records to send from each response, so that each is sent once and in order. */
export class HistoryPass {
  #newest: DueRecord | undefined;
  /** Records sent with an earlier window that reach past its end: the next response contains them again. */
  #crossing: DueRecord[] = [];

  /** The records of the next window to send, without those that have not ended yet. `now` in milliseconds. */
  select(response: readonly TimedRecord[], window: TimeWindow, now: number): DueRecord[] {
    const known = new Set(this.#crossing.map(({ start }) => start));
    let newest = this.#newest;
    return response
      .filter((timed) => timed.end <= now && isInWindow(timed, window) && !known.has(timed.start))
      .map((timed) => {
        const cursor = newest && newest.end > timed.end ? newest.cursor : cursorText(timed);
        const { record, start, end } = timed;
        const due: DueRecord = { record, start, end, phase: "catchup", cursor };
        newest = later(newest, due);
        return due;
      });
  }

  /** Notes that some of the records selected for a window were sent. */
  sent(due: readonly DueRecord[], window: TimeWindow): void {
    for (const record of due) this.#newest = later(this.#newest, record);
    this.#crossing = [...this.#crossing, ...due].filter(({ end }) => end > window.end);
  }

  /** Where to resume before this window so that no record is sent twice, in milliseconds. */
  resumeFrom(window: TimeWindow): number {
    return Math.max(window.start, this.#newest?.end ?? window.start);
  }
}

function later(newest: DueRecord | undefined, record: DueRecord): DueRecord {
  return newest && newest.end > record.end ? newest : record;
}
