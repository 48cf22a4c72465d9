// How records are delivered: once the flow has received them or, in confirmed delivery, once a following node confirms them.
import { randomUUID } from "node:crypto";
import { AbortedError } from "../errors";
import type { DueRecord } from "../ledger/due-records";
import { eventLoopTurn, inPortions } from "../loop-turns";
import type { PollRule, PollRun, RecordSink } from "./ports";
import type { InFlight, SeriesLedger } from "./series-ledger";

export interface Delivery {
  /** Whether records wait until others are confirmed. */
  readonly isBlocked: boolean;
  /** Sends records in order: each in its own message or, in a batch, all in one. Throws AbortedError. */
  send(due: readonly DueRecord[], run: PollRun): Promise<void>;
  /**
   * Sends the last records of a run, which may be none.
   * @param settle concludes the run in the ledger, unless it is blocked; absent if the run has failed
   */
  finish(due: readonly DueRecord[], run: PollRun, settle?: () => void): Promise<void>;
}

/** What each kind of delivery needs. */
export interface DeliveryParts {
  ledger: SeriesLedger;
  rule: PollRule;
}

/** Counts records as delivered once they are sent and the event loop has turned. A ledger that travels goes with each message. */
export function sentDelivery({ ledger, rule: { isBatch } }: DeliveryParts): Delivery {
  const send = async (due: readonly DueRecord[], { sink, signal }: PollRun): Promise<void> => {
    const sendPortion = (records: readonly DueRecord[]): InFlight => {
      // If sending throws, nothing was noted, and the records remain owed.
      sink.send(ledger.isCarried ? ledger.withLedgers(records) : [{ records }]);
      return ledger.markInFlight(records);
    };
    // If aborted before they are received, they remain owed, too.
    const received = (inFlight: InFlight): void => ledger.markDelivered(inFlight);
    await inPortions(due, { signal, isWhole: isBatch, send: sendPortion, received });
  };
  return {
    isBlocked: false,
    send,
    async finish(due, run, settle) {
      if (!ledger.isCarried || !isBatch) {
        await send(due, run);
        settle?.();
        return;
      }
      // A batch is the last message of its run, and hands back the ledger, also if nothing is new.
      if (due.length === 0 && !settle) return;
      if (run.signal.aborted) throw new AbortedError();
      ledger.update(ledger.after(due));
      if (settle) settle();
      else ledger.interruptRun();
      run.sink.send([{ records: due, ledger: ledger.current }]);
      await eventLoopTurn(run.signal);
    },
  };
}

export interface ConfirmRule {
  confirmTimeoutMs: number;
  /** The most records in flight; a message with more than that is sent alone. */
  maxUnconfirmed: number;
}

/** `unblocked`: confirmed, and everything that had to wait is sent, so that the series can be read on. */
export type Confirmation = "unknown" | "confirmed" | "unblocked";

/** A message sent and not yet confirmed. */
interface Unconfirmed {
  readonly count: number;
  readonly inFlight: InFlight;
  timer: NodeJS.Timeout;
}

/** A message that waits until there is room for it. */
interface WaitingMessage {
  readonly records: readonly DueRecord[];
  readonly sink: RecordSink;
}

/** Counts a message as delivered once it is confirmed, and resends it until then. */
export class ConfirmedDelivery implements Delivery {
  readonly #parts: DeliveryParts;
  readonly #rule: ConfirmRule;
  /** By delivery id, in the order sent. */
  readonly #unconfirmed = new Map<string, Unconfirmed>();
  #waiting: WaitingMessage[] = [];
  readonly #prefix = randomUUID();
  #sent = 0;
  #unconfirmedCount = 0;

  constructor(parts: DeliveryParts, rule: ConfirmRule) {
    this.#parts = parts;
    this.#rule = rule;
  }

  /** Records sent and not yet confirmed. */
  get unconfirmedCount(): number {
    return this.#unconfirmedCount;
  }

  get isBlocked(): boolean {
    return this.#waiting.length > 0;
  }

  async send(due: readonly DueRecord[], { sink, signal }: PollRun): Promise<void> {
    if (signal.aborted) throw new AbortedError();
    if (due.length === 0) return;
    if (this.#parts.rule.isBatch) this.#waiting.push({ records: due, sink });
    else for (const record of due) this.#waiting.push({ records: [record], sink });
    this.#sendWaiting();
    if (this.isBlocked) sink.showUnconfirmed?.(this.unconfirmedCount, false);
  }

  async finish(due: readonly DueRecord[], run: PollRun, settle?: () => void): Promise<void> {
    await this.send(due, run);
    if (!this.isBlocked) settle?.();
  }

  /** Confirms a delivery, if it is still unconfirmed. An id that was not issued here is `unknown`. */
  confirm(id: string): Confirmation {
    const message = this.#unconfirmed.get(id);
    if (!message) return id.startsWith(this.#prefix) ? "confirmed" : "unknown";
    clearTimeout(message.timer);
    this.#unconfirmed.delete(id);
    this.#unconfirmedCount -= message.count;
    this.#parts.ledger.markDelivered(message.inFlight);
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

  #sendUntilConfirmed({ records, sink }: WaitingMessage): void {
    const { ledger } = this.#parts;
    this.#sent += 1;
    const deliveryId = `${this.#prefix}-${this.#sent}`;
    const send = (): void => sink.send([{ records, deliveryId }]);
    // If this throws, nothing was noted, and the records remain owed.
    send();
    const resend = (): void => {
      message.timer = setTimeout(resend, this.#rule.confirmTimeoutMs);
      try {
        sink.showUnconfirmed?.(this.unconfirmedCount, true);
        send();
      } catch {
        // No one awaits a timer. The records remain unconfirmed, and are resent.
      }
    };
    const timer = setTimeout(resend, this.#rule.confirmTimeoutMs);
    const message = { count: records.length, inFlight: ledger.markInFlight(records), timer };
    this.#unconfirmed.set(deliveryId, message);
    this.#unconfirmedCount += message.count;
  }
}
