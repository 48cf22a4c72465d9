// Unconfirmed delivery: records are delivered as soon as the flow has received them.
import type { DueRecord } from "../ledger/due-record";
import { inPortions } from "../loop-turns";
import type { RecordSink } from "./ports";
import type { InFlight, SeriesLedger } from "./series-ledger";

/** `blocked`: some records wait until others are confirmed. */
export type SendResult = "sent" | "blocked";

/** What delivery needs to know about a run. */
export interface RunConditions {
  sink: RecordSink;
  /** Aborts the run. */
  signal: AbortSignal;
  /** Whether a message triggered the run: it then asks for every gap. */
  isTriggered: boolean;
}

export interface Delivery {
  /**
   * Sends records in order. Throws AbortedError.
   * @param isBatch whether in one message, and not each in its own
   */
  send(due: readonly DueRecord[], run: RunConditions, isBatch: boolean): Promise<SendResult>;
}

/** What is true of the records at the moment of sending. */
export type Now = (records: readonly DueRecord[]) => readonly DueRecord[];

/** Counts records as delivered once they are sent and the event loop has turned. */
export class SentDelivery implements Delivery {
  readonly #ledger: SeriesLedger;
  readonly #asOfNow: Now;

  constructor(ledger: SeriesLedger, asOfNow: Now) {
    this.#ledger = ledger;
    this.#asOfNow = asOfNow;
  }

  async send(
    due: readonly DueRecord[],
    { sink, signal }: RunConditions,
    isBatch: boolean,
  ): Promise<SendResult> {
    const send = (records: readonly DueRecord[]): InFlight => {
      // If sending throws, nothing was noted, and the records remain owed.
      sink.send([{ records: this.#asOfNow(records) }]);
      return this.#ledger.markInFlight(records);
    };
    // If aborted before they are received, they remain owed, too.
    const received = (inFlight: InFlight): void => this.#ledger.markDelivered(inFlight);
    await inPortions(due, { signal, isWhole: isBatch, send, received });
    return "sent";
  }
}
