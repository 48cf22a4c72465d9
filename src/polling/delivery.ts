// How records are delivered: once the flow has received them or, in confirmed delivery, once a following node confirms them.
import { randomUUID } from "node:crypto";
import { AbortedError } from "../errors";
import type { DueRecord } from "../ledger/due-records";
import { inPortions } from "../loop-turns";
import type { ConfirmRule, PollRun, RecordSink } from "./ports";
import type { InFlight, SeriesLedger } from "./series-ledger";

interface Unconfirmed {
  readonly records: readonly DueRecord[];
  readonly inFlight: InFlight;
  timer: NodeJS.Timeout;
}

interface WaitingMessage {
  readonly records: readonly DueRecord[];
  readonly sink: RecordSink;
  readonly confirm: ConfirmRule;
}

/**
 * Counts records as delivered once they are sent and the event loop has turned or, in confirmed delivery, a message once it is
 * confirmed, and resends it until then.
 */
export class Delivery {
  readonly #ledger: SeriesLedger;
  /** By delivery id, in the order sent. */
  readonly #unconfirmed = new Map<string, Unconfirmed>();
  #waiting: WaitingMessage[] = [];
  readonly #prefix = randomUUID();
  #sent = 0;
  unconfirmedCount = 0;
  /** Called once nothing waits any longer. */
  #unblocked: (() => void) | undefined;

  constructor(ledger: SeriesLedger) {
    this.#ledger = ledger;
  }

  /** Whether records wait until others are confirmed. */
  get isBlocked(): boolean {
    return this.#waiting.length > 0;
  }

  /** Sends records in order: each in its own message or, in a batch, all in one. Throws AbortedError. */
  async send(due: readonly DueRecord[], { sink, signal }: PollRun): Promise<void> {
    const ledger = this.#ledger;
    const { confirm, isBatch } = ledger.rule;
    if (!confirm)
      return inPortions(due, {
        signal,
        isWhole: isBatch,
        send(records) {
          // If sending throws, nothing was noted, and the records remain owed.
          sink.send(ledger.isCarried ? ledger.withLedgers(records) : [{ records }]);
          return ledger.markInFlight(records);
        },
        // If aborted before they are received, they remain owed, too.
        received: (inFlight) => ledger.markDelivered(inFlight),
      });
    if (signal.aborted) throw new AbortedError();
    if (due.length === 0) return;
    for (const records of isBatch ? [due] : due.map((record) => [record]))
      this.#waiting.push({ records, sink, confirm });
    this.#sendWaiting();
    if (this.isBlocked) sink.showUnconfirmed?.(this.unconfirmedCount, false);
  }

  /** Resolves once nothing waits any longer. For one caller at a time. */
  whenUnblocked(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isBlocked) this.#unblocked = resolve;
      else resolve();
    });
  }

  /** Confirms a delivery, if it is still unconfirmed. Returns false for an id that was not issued here. */
  confirm(id: string): boolean {
    const message = this.#unconfirmed.get(id);
    if (!message) return id.startsWith(this.#prefix);
    clearTimeout(message.timer);
    this.#unconfirmed.delete(id);
    this.unconfirmedCount -= message.records.length;
    this.#ledger.markDelivered(message.inFlight);
    this.#sendWaiting();
    return true;
  }

  /** Stops resending; unconfirmed records remain owed. */
  stop(): void {
    for (const { timer } of this.#unconfirmed.values()) clearTimeout(timer);
    this.#unconfirmed.clear();
    this.unconfirmedCount = 0;
    this.#waiting = [];
  }

  #sendWaiting(): void {
    try {
      for (let [next] = this.#waiting; next && this.#hasRoom(next); [next] = this.#waiting) {
        this.#waiting.shift();
        this.#sendUntilConfirmed(next);
      }
    } catch (error) {
      // This one and those behind it remain owed: the next run reads them again.
      this.#waiting = [];
      throw error;
    } finally {
      if (!this.isBlocked) this.#unblocked?.();
    }
  }

  /** A correction waits for the earlier form of its record, which would overwrite it if it were resent behind it. */
  #hasRoom({ records, confirm }: WaitingMessage): boolean {
    const unconfirmed = this.unconfirmedCount;
    if (unconfirmed === 0) return true;
    if (unconfirmed + records.length > confirm.maxUnconfirmed) return false;
    const corrected = records.filter(({ phase }) => phase === "revised").map(({ start }) => start);
    const isOf = ({ start }: DueRecord): boolean => corrected.includes(start);
    return corrected.length === 0 || ![...this.#unconfirmed.values()].some((one) => one.records.some(isOf));
  }

  #sendUntilConfirmed({ records, sink, confirm }: WaitingMessage): void {
    this.#sent += 1;
    const deliveryId = `${this.#prefix}-${this.#sent}`;
    const send = (): void => sink.send([{ records, deliveryId }]);
    // If this throws, nothing was noted, and the records remain owed.
    send();
    const resend = (): void => {
      message.timer = setTimeout(resend, confirm.timeoutMs);
      try {
        sink.showUnconfirmed?.(this.unconfirmedCount, true);
        send();
      } catch {
        // No one awaits a timer. The records remain unconfirmed, and are resent.
      }
    };
    const timer = setTimeout(resend, confirm.timeoutMs);
    const message = { records, inFlight: this.#ledger.markInFlight(records), timer };
    this.#unconfirmed.set(deliveryId, message);
    this.unconfirmedCount += records.length;
  }
}
