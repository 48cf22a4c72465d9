// One pass over a series: asks window after window, and hands on what is due, as the ledger will stand.
import type { DueRecord } from "../../../src/ledger/due-record";
import { cursorTime, dueRecords, type Ledger, owedWindow, withDelivered } from "../../../src/ledger/ledger";
import { inOrder, type TimedRecord } from "../../../src/ledger/timed-record";
import type { TimeWindow } from "../../../src/ledger/window";
import type { IntervalRecord } from "../../../src/models/telemetry";
import type { PollRule } from "./record-reader";

export interface SeriesPort {
  read: (window: TimeWindow) => Promise<IntervalRecord[]>;
  /** Sends records in order; false when the rest has to wait for another run. */
  send: (due: DueRecord[]) => Promise<boolean>;
}

/** An answer that was already read. */
export interface ReadWindow {
  window: TimeWindow;
  answer: TimedRecord[];
}

export class SeriesPass {
  /** Records brought so far. */
  count = 0;
  /** Nothing more can be sent in this run. */
  isHeldUp = false;
  /** A copy of the newest record of the series, when this pass brought it. */
  newest: DueRecord | undefined;
  /** What one message is to hold. */
  readonly #batch: DueRecord[] = [];

  constructor(
    private readonly rule: PollRule,
    private readonly port: SeriesPort,
    /** The ledger once everything that is on its way is delivered. */
    private plan: Ledger,
  ) {}

  /** Everything from the cursor to now; what was read already is not asked for again. */
  async takeOwed(first?: ReadWindow): Promise<void> {
    if (first) await this.#take(first);
    let window = owedWindow(this.plan, Date.now(), this.rule, first?.window.end);
    let reading = window && this.#read(window);
    while (window && reading && !this.isHeldUp) {
      const answer = await reading;
      const next = owedWindow(this.plan, Date.now(), this.rule, window.end);
      // The service makes the next answer while the flow takes this one.
      reading = next && this.#read(next);
      await this.#take({ window, answer });
      window = next;
    }
  }

  /** It is awaited later, or never: until then its failure is nobody's. */
  #read(window: TimeWindow): Promise<TimedRecord[]> {
    const reading = this.port.read(window).then(inOrder);
    reading.catch(() => undefined);
    return reading;
  }

  async takeWindows(windows: TimeWindow[]): Promise<void> {
    for (const window of windows) {
      if (this.isHeldUp) return;
      await this.#take({ window, answer: inOrder(await this.port.read(window)) });
    }
  }

  /** Sends what was kept for one message. */
  async sendBatch(): Promise<void> {
    if (this.#batch.length > 0) await this.#send(this.#batch.toSorted((a, b) => a.start - b.start));
  }

  async #send(due: DueRecord[]): Promise<void> {
    this.isHeldUp = !(await this.port.send(due));
  }

  async #take({ window, answer }: ReadWindow): Promise<void> {
    const now = Date.now();
    const due = dueRecords(this.plan, answer, { window, now, rule: this.rule });
    this.plan = withDelivered(this.plan, due, now, this.rule);
    this.count += due.length;
    this.newest = due.findLast(({ end }) => end === cursorTime(this.plan))?.copy() ?? this.newest;
    if (this.rule.isBatch) this.#batch.push(...due);
    else await this.#send(due);
  }
}
