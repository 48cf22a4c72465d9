// Confirmed delivery: a batch is delivered once a following node confirms it, and is resent until then.
import { randomUUID } from "node:crypto";
import { AbortedError } from "../errors";
import { type DueRecord, grouped } from "../ledger/due-record";
import type { Delivery, Now, RunConditions, SendResult } from "./delivery";
import type { RecordSink } from "./ports";
import type { InFlight, SeriesLedger } from "./series-ledger";

export interface ConfirmRule {
  confirmTimeoutMs: number;
  /** The most records in flight; a message with more than that is sent alone. */
  maxUnconfirmed: number;
}

/** `unblocked`: confirmed, and everything that had to wait is sent, so that the series can be read on. */
export type Confirmation = "unknown" | "confirmed" | "unblocked";

/** A message sent and not yet confirmed. */
interface Entry {
  readonly count: number;
  readonly inFlight: InFlight;
  timer: NodeJS.Timeout;
}

/** A message that waits until there is room for it. */
interface Waiting {
  readonly records: readonly DueRecord[];
  readonly sink: RecordSink;
}

export class ConfirmedDelivery implements Delivery {
  readonly #ledger: SeriesLedger;
  readonly #rule: ConfirmRule;
  readonly #asOfNow: Now;
  /** By delivery id, in the order sent. */
  readonly #unconfirmed = new Map<string, Entry>();
  #waiting: Waiting[] = [];
  readonly #prefix = randomUUID();
  #sent = 0;
  #unconfirmedCount = 0;

  constructor(ledger: SeriesLedger, rule: ConfirmRule, asOfNow: Now) {
    this.#ledger = ledger;
    this.#rule = rule;
    this.#asOfNow = asOfNow;
  }

  /** Records sent and not yet confirmed. */
  get unconfirmedCount(): number {
    return this.#unconfirmedCount;
  }

  /** Whether records wait until others are confirmed. */
  get isBlocked(): boolean {
    return this.#waiting.length > 0;
  }

  send(due: readonly DueRecord[], { sink, signal }: RunConditions, isBatch: boolean): Promise<SendResult> {
    if (signal.aborted) return Promise.reject(new AbortedError());
    this.#waiting.push(...grouped(due, isBatch).map((records) => ({ records, sink })));
    this.#sendWaiting();
    if (this.isBlocked) sink.showUnconfirmed?.(this.unconfirmedCount);
    return Promise.resolve(this.isBlocked ? "blocked" : "sent");
  }

  /** Confirms a delivery, if it is still unconfirmed. An id that was not issued here is `unknown`. */
  confirm(id: string): Confirmation {
    const entry = this.#unconfirmed.get(id);
    if (!entry) return id.startsWith(this.#prefix) ? "confirmed" : "unknown";
    clearTimeout(entry.timer);
    this.#unconfirmed.delete(id);
    this.#unconfirmedCount -= entry.count;
    this.#ledger.markDelivered(entry.inFlight);
    const wasBlocked = this.isBlocked;
    this.#sendWaiting();
    return wasBlocked && !this.isBlocked ? "unblocked" : "confirmed";
  }

  /** Stops resending; unconfirmed records remain owed. */
  stop(): void {
    for (const { timer } of this.#unconfirmed.values()) clearTimeout(timer);
    this.#unconfirmed.clear();
    this.#unconfirmedCount = 0;
    this.#waiting = [];
  }

  #sendWaiting(): void {
    for (let [next] = this.#waiting; next && this.#hasRoom(next.records.length); [next] = this.#waiting) {
      this.#waiting.shift();
      try {
        this.#sendUntilConfirmed(next);
      } catch (error) {
        // This one and those behind it remain owed: the next run reads them again.
        this.#waiting = [];
        throw error;
      }
    }
  }

  #hasRoom(count: number): boolean {
    const unconfirmed = this.unconfirmedCount;
    return unconfirmed === 0 || unconfirmed + count <= this.#rule.maxUnconfirmed;
  }

  #sendUntilConfirmed({ records, sink }: Waiting): void {
    this.#sent += 1;
    const deliveryId = `${this.#prefix}-${this.#sent}`;
    const send = (): void => sink.send([{ records: this.#asOfNow(records), deliveryId }]);
    // If this throws, nothing was noted, and the records remain owed.
    send();
    const resend = (): void => {
      entry.timer = setTimeout(resend, this.#rule.confirmTimeoutMs);
      try {
        sink.showUnconfirmed?.(this.unconfirmedCount);
        send();
      } catch {
        // Nobody awaits a timer. The records remain unconfirmed, and are resent.
      }
    };
    const inFlight = this.#ledger.markInFlight(records);
    const timer = setTimeout(resend, this.#rule.confirmTimeoutMs);
    const entry: Entry = { count: records.length, inFlight, timer };
    this.#unconfirmed.set(deliveryId, entry);
    this.#unconfirmedCount += entry.count;
  }
}
