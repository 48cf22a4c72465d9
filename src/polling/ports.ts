// What the engine needs of the world around it: where records come from and where they go.
import type { DueRecord } from "../ledger/due-record";
import type { TimedRecord } from "../models/timed-record";
import type { TimeWindow } from "../ledger/window";

export interface RecordSource {
  /**
   * The records of one series that overlap the window, which is at most 24 hours long.
   * Throws what the service client throws, AbortedError once the signal aborts.
   */
  read(window: TimeWindow, signal: AbortSignal): Promise<TimedRecord[]>;
}

/** The records of one message. */
export interface Batch {
  readonly records: readonly DueRecord[];
  /** In confirmed delivery: what the message is confirmed by. */
  readonly deliveryId?: string;
}

/** Takes the records of one run. What it hands on may be changed by whoever receives it: it makes each message anew. */
export interface RecordSink {
  /** Hands each batch over as a message, in order. Never rejects. */
  send(batches: readonly Batch[]): Promise<void>;
  /** Hands over the newest record for displays; absent where there is no output for it. Never rejects. */
  sendNewest?(record: DueRecord): Promise<void>;
  /** So many records wait for a confirmation, and hold others up or are late. */
  showUnconfirmed?(count: number): void;
}
