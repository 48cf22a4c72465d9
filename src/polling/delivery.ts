// Delivery that counts as soon as the flow has the records.
import { AbortedError } from "../errors";
import type { DueRecord } from "../ledger/due-record";
import { eventLoopTurn } from "../waiting";
import type { RecordSink } from "./ports";
import type { SeriesLedger } from "./series-ledger";

/** Whether all records are on their way, or some have to wait for another run. */
export type Handover = "handed over" | "held up";

/** What a run comes with. */
export interface RunConditions {
  sink: RecordSink;
  /** Aborts the run. */
  signal: AbortSignal;
  /** A message triggered the run: it reads every gap, and waits for confirmations as long as it takes. */
  isTriggered: boolean;
}

export interface Delivery {
  /** Hands over one message for each group of records, in order. Throws AbortedError. */
  send(messages: readonly (readonly DueRecord[])[], run: RunConditions): Promise<Handover>;
}

/** Records are delivered once they were handed over and the event loop has turned. */
export class SentDelivery implements Delivery {
  readonly #ledger: SeriesLedger;

  constructor(ledger: SeriesLedger) {
    this.#ledger = ledger;
  }

  async send(
    messages: readonly (readonly DueRecord[])[],
    { sink, signal }: RunConditions,
  ): Promise<Handover> {
    if (signal.aborted) throw new AbortedError();
    const records = messages.flat();
    this.#ledger.handOver(records);
    await sink.send(messages.map((group) => ({ records: group })));
    // Aborted meanwhile, they are still owed.
    await eventLoopTurn(signal);
    await this.#ledger.deliver(records);
    return "handed over";
  }
}
