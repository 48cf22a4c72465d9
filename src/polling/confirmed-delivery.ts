// Delivery that counts only once a following node confirms it; what is not confirmed in time is sent again.
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { AbortedError } from "../errors";
import type { DueRecord } from "../ledger/due-record";
import type { Delivery, RunConditions, Handover } from "./delivery";
import { withSignal } from "../waiting";
import type { RecordSink } from "./ports";
import type { SeriesLedger } from "./series-ledger";

export interface ConfirmRule {
  confirmTimeoutMs: number;
  /** Records in flight at most; a single message that holds more goes alone. */
  maxUnconfirmed: number;
}

/** `room`: confirmed, and a run that was held up can go on. */
export type Confirmation = "unknown" | "confirmed" | "room";

interface Entry {
  readonly records: readonly DueRecord[];
  readonly sink: RecordSink;
  timer: NodeJS.Timeout;
}

export class ConfirmedDelivery implements Delivery {
  readonly #ledger: SeriesLedger;
  readonly #rule: ConfirmRule;
  /** By delivery id, in the order of sending. */
  readonly #unconfirmed = new Map<string, Entry>();
  readonly #prefix = randomUUID();
  readonly #confirmations = new EventEmitter();
  #sent = 0;
  /** Whether a run has ended with records for which there was no room. */
  #isHeldUp = false;

  constructor(ledger: SeriesLedger, rule: ConfirmRule) {
    this.#ledger = ledger;
    this.#rule = rule;
  }

  /** Records that wait for a confirmation. */
  get unconfirmedCount(): number {
    let count = 0;
    for (const { records } of this.#unconfirmed.values()) count += records.length;
    return count;
  }

  async send(messages: readonly (readonly DueRecord[])[], run: RunConditions): Promise<Handover> {
    for (const records of messages) {
      if (!(await this.#hasRoomFor(records.length, run))) return "held up";
      this.#ledger.handOver(records);
      this.#sent += 1;
      await this.#sendFirst(`${this.#prefix}-${this.#sent}`, records, run.sink);
    }
    return "handed over";
  }

  /** A confirmation by id. One that was confirmed before changes nothing; `unknown` was not given out here. */
  confirm(id: string): Confirmation {
    const entry = this.#unconfirmed.get(id);
    if (!entry) return id.startsWith(this.#prefix) ? "confirmed" : "unknown";
    clearTimeout(entry.timer);
    this.#unconfirmed.delete(id);
    void this.#ledger.deliver(entry.records);
    this.#confirmations.emit("confirmed");
    const hasRoom = this.#isHeldUp;
    this.#isHeldUp = false;
    return hasRoom ? "room" : "confirmed";
  }

  /** Leaves no timer behind; what is unconfirmed stays owed. */
  stop(): void {
    for (const { timer } of this.#unconfirmed.values()) clearTimeout(timer);
    this.#unconfirmed.clear();
  }

  async #sendFirst(deliveryId: string, records: readonly DueRecord[], sink: RecordSink): Promise<void> {
    const { confirmTimeoutMs } = this.#rule;
    const sendAgain = (): void => {
      entry.timer = setTimeout(sendAgain, confirmTimeoutMs);
      sink.showUnconfirmed?.(this.unconfirmedCount);
      void sink.send([{ records, deliveryId }]);
    };
    const entry: Entry = { records, sink, timer: setTimeout(sendAgain, confirmTimeoutMs) };
    this.#unconfirmed.set(deliveryId, entry);
    await sink.send([{ records, deliveryId }]);
  }

  /**
   * Waits until so many more records may be in flight; false when nobody confirms any for a while. A scheduled run then
   * ends, so that the next one can bring the newest record.
   */
  async #hasRoomFor(count: number, { sink, signal, isTriggered }: RunConditions): Promise<boolean> {
    for (;;) {
      if (signal.aborted) throw new AbortedError();
      const unconfirmed = this.unconfirmedCount;
      if (unconfirmed === 0 || unconfirmed + count <= this.#rule.maxUnconfirmed) return true;
      sink.showUnconfirmed?.(unconfirmed);
      if (!(await this.#isConfirmedInTime(signal, isTriggered))) return false;
    }
  }

  async #isConfirmedInTime(signal: AbortSignal, isPatient: boolean): Promise<boolean> {
    const patience = new AbortController();
    const giveUp = (): void => {
      // At this very moment: the next confirmation may come before anybody else notices.
      this.#isHeldUp = true;
      patience.abort();
    };
    const timer = isPatient ? undefined : setTimeout(giveUp, this.#rule.confirmTimeoutMs);
    try {
      await withSignal([signal, patience.signal], (either) =>
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
