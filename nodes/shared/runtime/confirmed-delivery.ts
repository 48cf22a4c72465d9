// Delivery that counts only once a following node confirms it; what is not confirmed in time is sent again.
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { AbortedError } from "../../../src/errors";
import type { DueRecord } from "../../../src/ledger/due-record";
import type { Delivery, OnDelivered, Parcel, Sending } from "./delivery";

export interface ConfirmRule {
  confirmTimeoutMs: number;
  /** Records on the way at the most; one message that holds more goes alone. */
  maxUnconfirmed: number;
}

interface Entry {
  id: string;
  due: DueRecord[];
  isConfirmed: boolean;
  timer: NodeJS.Timeout;
}

export class ConfirmedDelivery implements Delivery {
  /** In the order of sending. A confirmed entry stays until all before it are confirmed. */
  readonly #entries: Entry[] = [];
  readonly #prefix = randomUUID();
  readonly #progress = new EventEmitter();
  #count = 0;
  /** Whether a run has ended with records that it had no room for, and whether there is some since then. */
  #isHeldUp = false;
  #hasRoom = false;

  constructor(
    private readonly rule: ConfirmRule,
    private readonly onDelivered: OnDelivered,
    /** Told how many records wait for a confirmation, when that holds the node up or one is late. */
    private readonly onWaiting: (unconfirmed: number) => void,
  ) {}

  async send(parcels: Iterable<Parcel>, { send, signal, isTriggered }: Sending): Promise<boolean> {
    for (const { due, message } of parcels) {
      if (!(await this.#room(due.length, signal, isTriggered))) return false;
      this.#count += 1;
      const id = `${this.#prefix}-${this.#count}`;
      const sendAgain = (): void => {
        this.onWaiting(this.#unconfirmed());
        entry.timer = setTimeout(sendAgain, this.rule.confirmTimeoutMs);
        send(message(id));
      };
      const entry: Entry = {
        id,
        due,
        isConfirmed: false,
        timer: setTimeout(sendAgain, this.rule.confirmTimeoutMs),
      };
      this.#entries.push(entry);
      send(message(id));
    }
    return true;
  }

  pending(): DueRecord[] {
    return this.#entries.flatMap(({ due }) => due);
  }

  /** Takes a confirmation; false when this node did not give the id out. What was confirmed before changes nothing. */
  confirm(id: string): boolean {
    const entry = this.#entries.find((candidate) => candidate.id === id);
    if (!entry) return id.startsWith(this.#prefix);
    entry.isConfirmed = true;
    clearTimeout(entry.timer);
    const hole = this.#entries.findIndex(({ isConfirmed }) => !isConfirmed);
    const delivered = this.#entries.splice(0, hole === -1 ? this.#entries.length : hole);
    if (delivered.length > 0) void this.onDelivered(delivered.flatMap(({ due }) => due));
    this.#progress.emit("confirmed");
    this.#hasRoom = this.#isHeldUp;
    return true;
  }

  /** Whether a run that was held up can go on; true once. */
  takeRoom(): boolean {
    const hasRoom = this.#hasRoom;
    if (hasRoom) this.#isHeldUp = this.#hasRoom = false;
    return hasRoom;
  }

  close(): void {
    for (const { timer } of this.#entries) clearTimeout(timer);
  }

  #unconfirmed(): number {
    return this.#entries.reduce((sum, { due, isConfirmed }) => sum + (isConfirmed ? 0 : due.length), 0);
  }

  /**
   * Waits until so many records more may be on the way; false when nobody confirms any for a while. A run by the clock
   * then ends, so that others follow it and the newest record is not held up.
   */
  async #room(count: number, signal: AbortSignal, isPatient: boolean): Promise<boolean> {
    for (;;) {
      if (signal.aborted) throw new AbortedError();
      const unconfirmed = this.#unconfirmed();
      if (unconfirmed === 0 || unconfirmed + count <= this.rule.maxUnconfirmed) return true;
      this.onWaiting(unconfirmed);
      if (!(await this.#confirmation(signal, isPatient))) return false;
    }
  }

  async #confirmation(signal: AbortSignal, isPatient: boolean): Promise<boolean> {
    const waiting = new AbortController();
    const end = (): void => waiting.abort();
    const giveUp = (): void => {
      // At this very moment: the next confirmation may come before anybody else hears of it.
      this.#isHeldUp = true;
      end();
    };
    const timer = isPatient ? undefined : setTimeout(giveUp, this.rule.confirmTimeoutMs);
    signal.addEventListener("abort", end);
    try {
      await once(this.#progress, "confirmed", { signal: waiting.signal });
      return true;
    } catch {
      return signal.aborted;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  }
}
