// How records are delivered: once the flow has received them or, in confirmed delivery, once a following node confirms them.
import { randomUUID } from "node:crypto";
import { AbortedError } from "../errors";
import type { DueRecord } from "../ledger/due-records";
import { inPortions } from "../loop-turns";
import type { ConfirmRule, PollRun, RecordSink } from "./ports";
import type { InFlight, SeriesLedger } from "./series-ledger";

/** Sends records in order, and counts them as delivered once the flow has received them. Throws AbortedError. */
export function sendAtOnce(
  due: readonly DueRecord[],
  { sink, signal }: PollRun,
  ledger: SeriesLedger,
): Promise<void> {
  return inPortions(due, {
    signal,
    isWhole: ledger.rule.isBatch,
    send(records) {
      // If sending throws, nothing was noted, and the records remain owed.
      sink.send(ledger.isCarried ? ledger.withLedgers(records) : [{ records }]);
      return ledger.markInFlight(records);
    },
    // If aborted before they are received, they remain owed, too.
    received: (inFlight) => ledger.markDelivered(inFlight),
  });
}

interface WaitingMessage {
  readonly records: readonly DueRecord[];
  readonly sink: RecordSink;
  readonly ledger: SeriesLedger;
}

interface UnconfirmedMessage extends WaitingMessage {
  readonly inFlight: InFlight;
  timer: NodeJS.Timeout;
}

/** Counts a message as delivered once it is confirmed, and resends it until then. */
export class ConfirmedDelivery {
  readonly #rule: ConfirmRule;
  /** By delivery id, in the order sent. */
  readonly #unconfirmed = new Map<string, UnconfirmedMessage>();
  #waiting: WaitingMessage[] = [];
  readonly #prefix = randomUUID();
  #sent = 0;
  unconfirmedCount = 0;
  /** Called once nothing waits any longer. */
  #unblocked: (() => void) | undefined;

  constructor(rule: ConfirmRule) {
    this.#rule = rule;
  }

  /** Whether records wait until others are confirmed. */
  get isBlocked(): boolean {
    return this.#waiting.length > 0;
  }

  /** Sends records in order, each in its own message or, in a batch, all in one, as far as there is room. Throws AbortedError. */
  send(due: readonly DueRecord[], { sink, signal }: PollRun, ledger: SeriesLedger): void {
    if (signal.aborted) throw new AbortedError();
    if (due.length === 0) return;
    for (const records of ledger.rule.isBatch ? [due] : due.map((record) => [record]))
      this.#waiting.push({ records, sink, ledger });
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
    message.ledger.markDelivered(message.inFlight);
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
  #hasRoom({ records }: WaitingMessage): boolean {
    const unconfirmed = this.unconfirmedCount;
    if (unconfirmed === 0) return true;
    if (unconfirmed + records.length > this.#rule.maxUnconfirmed) return false;
    const corrected = records.filter(({ phase }) => phase === "revised").map(({ start }) => start);
    const isOf = ({ start }: DueRecord): boolean => corrected.includes(start);
    return corrected.length === 0 || ![...this.#unconfirmed.values()].some((one) => one.records.some(isOf));
  }

  #sendUntilConfirmed(waiting: WaitingMessage): void {
    const { records, sink, ledger } = waiting;
    this.#sent += 1;
    const deliveryId = `${this.#prefix}-${this.#sent}`;
    const send = (): void => sink.send([{ records, deliveryId }]);
    // If this throws, nothing was noted, and the records remain owed.
    send();
    const resend = (): void => {
      message.timer = setTimeout(resend, this.#rule.timeoutMs);
      try {
        sink.showUnconfirmed?.(this.unconfirmedCount, true);
        send();
      } catch {
        // No one awaits a timer. The records remain unconfirmed, and are resent.
      }
    };
    const timer = setTimeout(resend, this.#rule.timeoutMs);
    const message = { ...waiting, inFlight: ledger.markInFlight(records), timer };
    this.#unconfirmed.set(deliveryId, message);
    this.unconfirmedCount += records.length;
  }
}
