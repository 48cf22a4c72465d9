// Polls one series of records: asks for what its ledger owes, sends what is due, and only then moves the ledger on.
import type { NodeMessage } from "node-red";
import { DueRecord } from "../../../src/ledger/due-record";
import { isFresh } from "../../../src/decisions/freshness";
import { gapRequests, openGaps } from "../../../src/ledger/gaps";
import {
  cursorTime,
  type Ledger,
  openLedger,
  settle,
  withAskedGaps,
  withDelivered,
} from "../../../src/ledger/ledger";
import type { SeriesAddress } from "../../../src/ledger/record-id";
import { inOrder, type TimedRecord } from "../../../src/ledger/timed-record";
import { latestWindow, LONGEST_WINDOW, MINUTE, type TimeWindow } from "../../../src/ledger/window";
import { basisTeller } from "./basis-teller";
import type { Delivery, OnDelivered, Parcel } from "./delivery";
import {
  batchContent,
  grouped,
  recordContent,
  type RecordDescription,
} from "../../../src/messages/record-message";
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
    const failure = await failureOf(run, () => pass.takeWindows(asked.windows));
    await pass.sendBatch();
    if (!pass.isHeldUp && failure === undefined)
      await this.#update((known) => this.#settled(withAskedGaps(known, asked.gaps, Date.now())));
    if (pass.newest && pass.newest.start !== shown?.start) await this.#sendNewest(run, pass.newest);
    if (failure !== undefined) throw failure;
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
    const { window, answer } = await this.#readNewest(run);
    const ledger = await this.ledger.update(openLedger(newestOf(answer)?.start ?? window.start));
    return { ledger, first: { answer, window: { start: cursorTime(ledger), end: window.end } } };
  }

  /** What holds the newest record: a service that lags or records that are long make it older than usual. */
  async #readNewest(run: Run): Promise<ReadWindow> {
    const window = latestWindow(Date.now());
    const answer = await this.#read(run, window);
    if (newestOf(answer)) return { window, answer };
    const day = latestWindow(Date.now(), LONGEST_WINDOW / MINUTE);
    return { window: day, answer: await this.#read(run, day) };
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
    return this.#delivery.send(this.#parcels(run, due, await this.#teller(run)), run);
  }

  *#parcels(run: Run, all: DueRecord[], teller: RecordDescription): Generator<Parcel> {
    const content = this.rule.isBatch ? batchContent : recordContent;
    for (const due of grouped(all, this.rule.isBatch)) {
      const message = (deliveryId?: string): NodeMessage =>
        run.make(content(this.address, teller, due, deliveryId));
      yield { due, message };
    }
  }

  async #sendNewest(run: Run, newest: DueRecord): Promise<void> {
    if (!this.reader.hasNewestOutput || !isFresh(newest.end, Date.now(), this.rule.maxAgeMinutes)) return;
    const teller = await this.#teller(run);
    run.send([null, run.make(recordContent(this.address, teller, [newest]))]);
  }

  async #teller(run: Run): Promise<RecordDescription> {
    return { ...this.reader, basisOf: await basisTeller(run, this.address) };
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

/** What the work failed with, so that nothing else is held up by it; rejects only when the run is given up. */
async function failureOf(run: Run, work: () => Promise<void>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (run.signal.aborted) throw error;
    return error;
  }
}
