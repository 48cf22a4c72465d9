// Reads the windows of a history run ahead of what the flow has received, and selects what each response adds.
import type { DueRecord } from "../ledger/due-records";
import { cursorText } from "../ledger/ledger";
import { isInWindow, type TimeWindow } from "../ledger/window";
import type { TimedRecord } from "../models/telemetry";

/** Windows of one run that are in flight or wait to be sent: a few days of records in memory at most. */
const MOST = 4;
/** Of several runs together, which share the memory of the process, as long as that leaves each its least. */
const TOTAL = 8;
/** One is in flight while the other is sent, however many runs there are. */
const LEAST = 2;

/** How many runs read ahead. */
let runs = 0;

/**
 * Reads several items in parallel and passes on the results in order. The next read starts once a result has been consumed.
 * A read that fails throws in its turn, after all results before it have been consumed.
 */
export async function readAhead<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
  consume: (result: Result, item: Item) => Promise<void>,
  most = MOST,
): Promise<void> {
  const started: { item: Item; result: Promise<Result> }[] = [];
  const waiting = [...items];
  const startNext = (): void => {
    // Changes as other runs begin and end.
    const share = Math.min(most, Math.max(LEAST, Math.floor(TOTAL / runs)));
    for (const item of waiting.splice(0, share - started.length)) {
      const result = read(item);
      // Awaited later, or never: until then a failure must not count as unhandled.
      result.catch(() => undefined);
      started.push({ item, result });
    }
  };
  runs += 1;
  try {
    startNext();
    for (let next = started.shift(); next; next = started.shift()) {
      await consume(await next.result, next.item);
      startNext();
    }
  } finally {
    runs -= 1;
  }
}

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
