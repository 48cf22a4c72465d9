// Unconfirmed delivery: records are delivered as soon as the flow has received them.
import { AbortedError } from "../errors";
import type { DueRecord } from "../ledger/due-record";
import { eventLoopTurn } from "../waiting";
import type { RecordSink } from "./ports";
import type { SeriesLedger } from "./series-ledger";

/** `blocked`: too many records are unconfirmed, so that some must wait for another run. */
export type SendResult = "sent" | "blocked";

/** What delivery needs to know about a run. */
export interface RunConditions {
  sink: RecordSink;
  /** Aborts the run. */
  signal: AbortSignal;
  /** Whether a message triggered the run: it then retries every gap, and waits for confirmations without limit. */
  isTriggered: boolean;
}

export interface Delivery {
  /** Sends a message for each group of records, in order. Throws AbortedError. */
  send(messages: readonly (readonly DueRecord[])[], run: RunConditions): Promise<SendResult>;
}

/** Counts records as delivered once they are sent and the event loop has turned. */
export class SentDelivery implements Delivery {
  readonly #ledger: SeriesLedger;

  constructor(ledger: SeriesLedger) {
    this.#ledger = ledger;
  }

  async send(
    messages: readonly (readonly DueRecord[])[],
    { sink, signal }: RunConditions,
  ): Promise<SendResult> {
    if (signal.aborted) throw new AbortedError();
    // If sending throws, nothing was noted, and the records remain owed.
    sink.send(messages.map((records) => ({ records })));
    const inFlight = this.#ledger.markInFlight(messages.flat());
    // If aborted here, they remain owed, too.
    await eventLoopTurn(signal);
    await this.#ledger.markDelivered(inFlight);
    return "sent";
  }
}
