// Delivery where the ledger travels: each message takes the ledger that is true once that message is delivered.
import { AbortedError } from "../errors";
import { type DueRecord, grouped } from "../ledger/due-record";
import type { Ledger } from "../ledger/ledger";
import { eventLoopTurn } from "../waiting";
import type { Delivery, Now, RunConditions, SendResult } from "./delivery";
import type { Batch } from "./ports";
import type { SeriesLedger } from "./series-ledger";

/** For one run: if sending throws, the ledger that came with the message is the one that still owes the records. */
export class CarriedDelivery implements Delivery {
  readonly #ledger: SeriesLedger;
  readonly #asOfNow: Now;

  constructor(ledger: SeriesLedger, asOfNow: Now) {
    this.#ledger = ledger;
    this.#asOfNow = asOfNow;
  }

  /** The ledger before the end of the run: whether that will be complete is not known yet. */
  get interim(): Ledger {
    return { ...this.#ledger.current, completed: undefined };
  }

  async send(due: readonly DueRecord[], run: RunConditions, isBatch: boolean): Promise<SendResult> {
    const batches = grouped(due, isBatch).map((records): Batch => {
      this.#ledger.advance(records);
      return { records: this.#asOfNow(records), ledger: this.interim };
    });
    return this.#hand(batches, run);
  }

  /**
   * Sends all records of a run as its last message, even if there are none, so that the ledger always comes back.
   * @param settle concludes the run in the ledger; absent if the run has failed
   */
  async sendLast(records: readonly DueRecord[], run: RunConditions, settle?: () => void): Promise<void> {
    this.#ledger.advance(records);
    settle?.();
    const ledger = settle ? this.#ledger.current : this.interim;
    await this.#hand([{ records: this.#asOfNow(records), ledger }], run);
  }

  async #hand(batches: readonly Batch[], { sink, signal }: RunConditions): Promise<SendResult> {
    if (signal.aborted) throw new AbortedError();
    sink.send(batches);
    await eventLoopTurn(signal);
    return "sent";
  }
}
