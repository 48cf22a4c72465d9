// The ports of the polling engine: where records come from and where they go.
import type { DueRecord } from "../ledger/due-record";
import type { TimedRecord } from "../models/timed-record";
import type { TimeWindow } from "../ledger/window";

export interface RecordSource {
  /**
   * Resolves to the records of one series that overlap the window of at most 24 hours.
   * Throws what the service client throws, and AbortedError once the signal aborts.
   */
  read(window: TimeWindow, signal: AbortSignal): Promise<TimedRecord[]>;
}

/** The records of one message. */
export interface Batch {
  readonly records: readonly DueRecord[];
  /** In confirmed delivery: the id that confirms the message. */
  readonly deliveryId?: string;
}

/** Receives the records of a run, and builds a new message on each call, because the flow may change messages. */
export interface RecordSink {
  /** Gets what the messages need. Awaited before anything is sent; throws AbortedError once the signal aborts. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Sends each batch as a message, in order, and at once: nothing may happen between sending and noting it. */
  send(batches: readonly Batch[]): void;
  /** Sends the newest record, for displays; absent if there is no output for it. */
  sendNewest?(record: DueRecord): void;
  /** Reports how many records are unconfirmed, when they block others or are overdue. */
  showUnconfirmed?(count: number): void;
}
