// Delivery where the ledger travels: each message takes the ledger that is true once that message is delivered.
import { AbortedError } from "../errors";
import { type DueRecord, grouped } from "../ledger/due-record";
import type { Ledger } from "../ledger/ledger";
import { eventLoopTurn, inPortions } from "../loop-turns";
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
    return interimOf(this.#ledger.current);
  }

  async send(
    due: readonly DueRecord[],
    { sink, signal }: RunConditions,
    isBatch: boolean,
  ): Promise<SendResult> {
    const send = (groups: readonly (readonly DueRecord[])[]): void => {
      let ledger = this.#ledger.current;
      const batchOf = (records: readonly DueRecord[]): Batch => {
        ledger = this.#ledger.after(records, ledger);
        return { records: this.#asOfNow(records), ledger: interimOf(ledger) };
      };
      sink.send(groups.map(batchOf));
      // If sending throws, the records remain owed.
      this.#ledger.advance(ledger);
    };
    await inPortions(grouped(due, isBatch), { signal, isWhole: false, send });
    return "sent";
  }

  /**
   * Sends all records of a run as its last message, even if there are none, so that the ledger always comes back.
   * If sending throws, nobody gets the ledger, which has advanced.
   * @param settle concludes the run in the ledger; absent if the run has failed
   */
  async sendLast(
    records: readonly DueRecord[],
    { sink, signal }: RunConditions,
    settle?: () => void,
  ): Promise<void> {
    if (signal.aborted) throw new AbortedError();
    this.#ledger.advance(this.#ledger.after(records, this.#ledger.current));
    settle?.();
    const ledger = settle ? this.#ledger.current : this.interim;
    sink.send([{ records: this.#asOfNow(records), ledger }]);
    await eventLoopTurn(signal);
  }
}

function interimOf(ledger: Ledger): Ledger {
  return { ...ledger, completed: undefined };
}
