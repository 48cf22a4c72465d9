// Polls one series of records: asks for what its ledger owes, sends what is due, and only then moves the ledger on.
import type { NodeMessage } from "node-red";
import { DueRecord } from "../../../src/records/due-record";
import { isFresh } from "../../../src/records/freshness";
import { gapRequests, openGaps } from "../../../src/records/gaps";
import {
  cursorTime,
  type Ledger,
  openLedger,
  settle,
  withAskedGaps,
  withDelivered,
} from "../../../src/records/ledger";
import type { SeriesAddress } from "../../../src/records/record-id";
import { inOrder, TimedRecord } from "../../../src/records/timed-record";
import { latestWindow, LONGEST_WINDOW, type TimeWindow } from "../../../src/records/window";
import { basisTeller } from "./basis-teller";
import type { Delivery, OnDelivered, Parcel } from "./delivery";
import { batchContent, grouped, recordContent } from "./record-message";
import type { PollRule, RecordReader } from "./record-reader";
import type { Run } from "./runs";
import type { KeptState } from "./kept-state";
import { type ReadWindow, SeriesPass } from "./series-pass";

/** What a run has brought. */
export interface PollOutcome {
  count: number;
  newestEnd: number | undefined;
  /** Records that wait for a confirmation, and hold others up. */
  unconfirmed: number;
}

export class SeriesPoll {
  readonly #delivery: Delivery;

  constructor(
    private readonly address: SeriesAddress,
    private readonly reader: RecordReader,
    private readonly rule: PollRule,
    private readonly ledger: KeptState<Ledger>,
    createDelivery: (onDelivered: OnDelivered) => Delivery,
  ) {
    this.#delivery = createDelivery((due) =>
      this.#update((known) => withDelivered(known, due, Date.now(), rule)),
    );
  }

  /** `start` (milliseconds) is where a poll without a ledger begins. */
  async run(run: Run, start?: number): Promise<PollOutcome> {
    const { rule } = this;
    const { ledger, first } = await this.#open(run, start);
    // What is on its way to the flow is not asked for again. Confirmations come at any time: both are read at one moment.
    const plan = withDelivered(this.ledger.current ?? ledger, this.#delivery.pending(), Date.now(), rule);
    const asked = gapRequests(openGaps(plan.gaps, Date.now(), rule.gapHorizon), Date.now(), run.isTriggered);
    const shown = await this.#showNewest(run, plan);
    const port = {
      read: (window: TimeWindow) => this.reader.read(run, this.address, window),
      send: (due: DueRecord[]) => this.#send(run, due),
    };
    const pass = new SeriesPass(rule, port, plan);
    await pass.takeOwed(first);
    for (const window of asked.windows) await pass.takeWindow(window);
    await pass.sendBatch();
    if (!pass.isHeldUp)
      await this.#update((known) => this.#settled(withAskedGaps(known, asked.gaps, Date.now())));
    if (pass.newest && pass.newest.start !== shown?.start) await this.#sendNewest(run, pass.newest);
    this.ledger.throwStoreError();
    const unconfirmed = pass.isHeldUp ? this.#delivery.pending().length : 0;
    return { count: pass.count, newestEnd: pass.newest?.end, unconfirmed };
  }

  /** The ledger there is, or a new one: from where it was told to start, or with the newest record. */
  async #open(run: Run, start?: number): Promise<{ ledger: Ledger; first?: ReadWindow }> {
    const stored = await this.ledger.load();
    if (stored) return { ledger: stored };
    const { startBefore } = this.rule;
    const from = start ?? (startBefore === undefined ? undefined : Date.now() - startBefore);
    if (from !== undefined) return { ledger: await this.ledger.update(openLedger(from)) };
    const window = latestWindow(Date.now());
    const answer = await this.#read(run, window);
    const ledger = await this.ledger.update(openLedger(newestOf(answer)?.start ?? window.start));
    return { ledger, first: { answer, window: { start: cursorTime(ledger), end: window.end } } };
  }

  /** Behind by more than one request, output 2 has the newest record at once; output 1 gets it in its turn. */
  async #showNewest(run: Run, plan: Ledger): Promise<TimedRecord | undefined> {
    if (!this.reader.hasNewestOutput || Date.now() - cursorTime(plan) <= LONGEST_WINDOW) return undefined;
    const newest = newestOf(await this.#read(run, latestWindow(Date.now())));
    if (newest) await this.#sendNewest(run, new DueRecord(newest, "live", plan.cursor));
    return newest;
  }

  async #read(run: Run, window: TimeWindow): Promise<TimedRecord[]> {
    return inOrder(await this.reader.read(run, this.address, window));
  }

  async #send(run: Run, due: DueRecord[]): Promise<boolean> {
    if (due.length === 0) return true;
    const withBasis = await basisTeller(run, this.address);
    return this.#delivery.send(this.#parcels(run, due, withBasis), run);
  }

  *#parcels(run: Run, all: DueRecord[], withBasis: (due: DueRecord) => DueRecord): Generator<Parcel> {
    const content = this.rule.isBatch ? batchContent : recordContent;
    for (const group of grouped(all, this.rule.isBatch)) {
      const due = group.map(withBasis);
      const message = (deliveryId?: string): NodeMessage =>
        run.make(content(this.address, this.reader, due, deliveryId));
      yield { due, message };
    }
  }

  async #sendNewest(run: Run, newest: DueRecord): Promise<void> {
    if (!this.reader.hasNewestOutput || !isFresh(newest.end, Date.now(), this.rule.maxAgeMinutes)) return;
    const withBasis = await basisTeller(run, this.address);
    // The record went to output 1 as well, and whoever got it there may change it.
    const { record, start, end } = newest;
    const copy = new TimedRecord(structuredClone(record), start, end);
    const own = withBasis(new DueRecord(copy, newest.phase, newest.cursor));
    run.send([null, run.make(recordContent(this.address, this.reader, [own]))]);
  }

  /** What is on its way is still owed: a ledger that passes over it would lose it in a crash. */
  #settled(known: Ledger): Ledger {
    return this.#delivery.pending().length > 0 ? known : settle(known, Date.now(), this.rule);
  }

  async #update(change: (known: Ledger) => Ledger): Promise<void> {
    if (this.ledger.current) await this.ledger.update(change(this.ledger.current));
  }
}

/** The newest record that has ended. */
function newestOf(answer: TimedRecord[]): TimedRecord | undefined {
  return answer.findLast(({ end }) => end <= Date.now());
}
