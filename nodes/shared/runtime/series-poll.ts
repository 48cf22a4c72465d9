// Polls one series of records: asks for what its ledger owes, sends what is due, and only then moves the ledger on.
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { AbortedError } from "../../../src/client/errors";
import { isFresh } from "../../../src/records/freshness";
import {
  dueRecords,
  type DueRecord,
  type Ledger,
  openLedger,
  owedWindow,
  settle,
  withDelivered,
} from "../../../src/records/ledger";
import type { SeriesAddress } from "../../../src/records/record-id";
import { inOrder } from "../../../src/records/timed-record";
import { HOUR, latestWindow } from "../../../src/records/window";
import type { LedgerKey, LedgerStore } from "./ledger-store";
import { batchContent, recordContent } from "./record-message";
import type { PollSettings, RecordReader } from "./record-poll";
import type { Run } from "./runs";

/** What a run has brought. */
export interface PollOutcome {
  count: number;
  newestEnd: number | undefined;
}

export class SeriesPoll {
  /** Kept in memory too: when the store fails, delivery goes on from here. */
  #ledger: Ledger | undefined;
  #storeError: unknown;

  constructor(
    private readonly address: SeriesAddress,
    private readonly reader: RecordReader,
    private readonly store: LedgerStore | undefined,
    private readonly key: LedgerKey,
  ) {}

  /** `start` (milliseconds) is where a poll without a ledger begins. Throws without having moved the ledger. */
  async run(run: Run, settings: PollSettings, start?: number): Promise<PollOutcome> {
    this.#storeError = undefined;
    this.#ledger ??= await this.store?.load(this.key);
    const beginning =
      start ?? (settings.startHours === undefined ? undefined : Date.now() - settings.startHours * HOUR);
    const isNewestOnly = this.#ledger === undefined && beginning === undefined;
    let ledger = this.#ledger ?? openLedger(beginning ?? latestWindow(Date.now()).start);
    let after: number | undefined;
    let count = 0;
    let newest: DueRecord | undefined;
    const batch: DueRecord[] = [];

    for (;;) {
      const now = Date.now();
      const window = owedWindow(ledger, now, after);
      if (!window) break;
      const answer = inOrder(await this.reader.read(run, this.address, window));
      const { maxAgeMinutes } = settings;
      let due = dueRecords(ledger, answer, { window, now, maxAgeMinutes });
      if (isNewestOnly) {
        due = due.slice(-1);
        ledger = openLedger(due[0]?.start ?? window.start);
      }
      ledger = withDelivered(ledger, due);
      after = window.end;
      count += due.length;
      newest = due.at(-1) ?? newest;
      if (settings.isBatch) batch.push(...due);
      else await this.#deliver(run, due, ledger, sendEach);
    }
    await this.#deliver(run, batch, settle(ledger, Date.now(), settings.gapHours * HOUR), sendBatch);
    this.#sendNewest(run, newest, settings);
    if (this.#storeError) throw this.#storeError;
    return { count, newestEnd: newest?.end };
  }

  /** Records count as delivered when they were handed over and the event loop has turned. */
  async #deliver(run: Run, due: DueRecord[], ledger: Ledger, send: typeof sendEach): Promise<void> {
    if (run.signal.aborted) throw new AbortedError();
    if (due.length > 0) {
      send(run, this.address, this.reader, due);
      await eventLoopTurn();
      // Closed meanwhile: whether a following node has seen them is unknown, so they are still owed.
      if (run.signal.aborted) throw new AbortedError();
    }
    if (ledger === this.#ledger) return;
    this.#ledger = ledger;
    await this.store?.save(this.key, ledger).catch((error: unknown) => {
      this.#storeError = error;
    });
  }

  #sendNewest(run: Run, newest: DueRecord | undefined, { maxAgeMinutes }: PollSettings): void {
    if (!this.reader.hasNewestOutput || !newest || !isFresh(newest.end, Date.now(), maxAgeMinutes)) return;
    // The record went to output 1 as well, and whoever got it there may change it.
    run.send([
      null,
      run.make(
        recordContent(this.address, this.reader, { ...newest, record: structuredClone(newest.record) }),
      ),
    ]);
  }
}

function sendEach(run: Run, address: SeriesAddress, reader: RecordReader, due: DueRecord[]): void {
  for (const record of due) run.send(run.make(recordContent(address, reader, record)));
}

function sendBatch(run: Run, address: SeriesAddress, reader: RecordReader, due: DueRecord[]): void {
  run.send(run.make(batchContent(address, reader, due)));
}
