// Confirmed delivery: a batch is delivered once a following node confirms it, and is resent until then.
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { AbortedError } from "../errors";
import type { DueRecord } from "../ledger/due-record";
import type { Delivery, RunConditions, SendResult } from "./delivery";
import { withSignal } from "../waiting";
import type { RecordSink } from "./ports";
import type { InFlight, SeriesLedger } from "./series-ledger";

export interface ConfirmRule {
  confirmTimeoutMs: number;
  /** The most records in flight; a message with more than that is sent alone. */
  maxUnconfirmed: number;
}

/** `unblocked`: confirmed, and there is room again for records that a run could not send. */
export type Confirmation = "unknown" | "confirmed" | "unblocked";

interface Entry {
  readonly count: number;
  readonly inFlight: InFlight;
  timer: NodeJS.Timeout;
}

export class ConfirmedDelivery implements Delivery {
  readonly #ledger: SeriesLedger;
  readonly #rule: ConfirmRule;
  /** By delivery id, in the order sent. */
  readonly #unconfirmed = new Map<string, Entry>();
  readonly #prefix = randomUUID();
  readonly #confirmations = new EventEmitter();
  #sent = 0;
  /** Whether a run ended with records that there was no room to send. */
  #isBlocked = false;

  constructor(ledger: SeriesLedger, rule: ConfirmRule) {
    this.#ledger = ledger;
    this.#rule = rule;
  }

  /** Records sent and not yet confirmed. */
  get unconfirmedCount(): number {
    let count = 0;
    for (const entry of this.#unconfirmed.values()) count += entry.count;
    return count;
  }

  async send(messages: readonly (readonly DueRecord[])[], run: RunConditions): Promise<SendResult> {
    for (const records of messages) {
      if (!(await this.#waitForRoom(records.length, run))) return "blocked";
      this.#sent += 1;
      this.#sendUntilConfirmed(`${this.#prefix}-${this.#sent}`, records, run.sink);
    }
    return "sent";
  }

  /** Confirms a delivery, if it is still unconfirmed. An id that was not issued here is `unknown`. */
  confirm(id: string): Confirmation {
    const entry = this.#unconfirmed.get(id);
    if (!entry) return id.startsWith(this.#prefix) ? "confirmed" : "unknown";
    clearTimeout(entry.timer);
    this.#unconfirmed.delete(id);
    void this.#ledger.markDelivered(entry.inFlight);
    this.#confirmations.emit("confirmed");
    const wasBlocked = this.#isBlocked;
    this.#isBlocked = false;
    return wasBlocked ? "unblocked" : "confirmed";
  }

  /** Stops resending; unconfirmed records remain owed. */
  stop(): void {
    for (const { timer } of this.#unconfirmed.values()) clearTimeout(timer);
    this.#unconfirmed.clear();
  }

  #sendUntilConfirmed(deliveryId: string, records: readonly DueRecord[], sink: RecordSink): void {
    const batches = [{ records, deliveryId }];
    // If this throws, nothing was noted, and the records remain owed.
    sink.send(batches);
    const resend = (): void => {
      entry.timer = setTimeout(resend, this.#rule.confirmTimeoutMs);
      sink.showUnconfirmed?.(this.unconfirmedCount);
      try {
        sink.send(batches);
      } catch {
        // Nobody awaits a timer. The records remain unconfirmed, and are resent.
      }
    };
    const inFlight = this.#ledger.markInFlight(records);
    const timer = setTimeout(resend, this.#rule.confirmTimeoutMs);
    const entry: Entry = { count: records.length, inFlight, timer };
    this.#unconfirmed.set(deliveryId, entry);
  }

  /**
   * Waits until `count` more records may be in flight. Resolves to false if none is confirmed for a while, so that a
   * scheduled run ends and the next one can send the newest record.
   */
  async #waitForRoom(count: number, { sink, signal, isTriggered }: RunConditions): Promise<boolean> {
    for (;;) {
      if (signal.aborted) throw new AbortedError();
      const unconfirmed = this.unconfirmedCount;
      if (unconfirmed === 0 || unconfirmed + count <= this.#rule.maxUnconfirmed) return true;
      sink.showUnconfirmed?.(unconfirmed);
      if (!(await this.#waitForConfirmation(signal, isTriggered))) return false;
    }
  }

  async #waitForConfirmation(signal: AbortSignal, withoutLimit: boolean): Promise<boolean> {
    const timeout = new AbortController();
    const giveUp = (): void => {
      // Set right here, because a confirmation may arrive before the run notices that it is blocked.
      this.#isBlocked = true;
      timeout.abort();
    };
    const timer = withoutLimit ? undefined : setTimeout(giveUp, this.#rule.confirmTimeoutMs);
    try {
      await withSignal([signal, timeout.signal], (either) =>
        once(this.#confirmations, "confirmed", { signal: either }),
      );
      return true;
    } catch {
      return signal.aborted;
    } finally {
      clearTimeout(timer);
    }
  }
}
