// The ports of the polling engine: where records come from and where they go.
import type { EnergyError } from "../errors";
import type { DueRecord } from "../ledger/due-record";
import type { Ledger } from "../ledger/ledger";
import type { TimeWindow } from "../ledger/window";
import type { RecordAnswer } from "../models/responses";

export interface RecordSource {
  /**
   * Resolves to the records of one series that overlap the window of at most 24 hours.
   * Throws what the service client throws, and AbortedError once the signal aborts.
   * @param once whether a failure is final, because the window has failed before
   */
  read(window: TimeWindow, signal: AbortSignal, once?: boolean): Promise<RecordAnswer>;
}

/** Records that are sent together: in one message, or each in its own, as the node is set. */
export interface Batch {
  readonly records: readonly DueRecord[];
  /** In confirmed delivery, where a batch is one message: the id that confirms it. */
  readonly deliveryId?: string;
  /** Where ledgers travel, in one message each: the one that is true once the message is delivered. */
  readonly ledger?: Ledger;
}

/** Something to report once, which does not end a run. Times in milliseconds. */
export type PollNotice =
  /** Asked for long enough: what is missing there is no longer asked for. */
  | { kind: "given-up"; window: TimeWindow }
  /** A record that cannot be read stays a gap. */
  | { kind: "unreadable"; error: EnergyError }
  /** A window for which every request fails, while others succeed, stays a gap. */
  | { kind: "failing"; error: EnergyError; window: TimeWindow };

/** Receives the records of a run, and builds a new message on each call, because the flow may change messages. */
export interface RecordSink {
  /** Gets what the messages need. Awaited before anything is sent; throws AbortedError once the signal aborts. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Sends the messages of each batch, in order, and at once: nothing may happen between sending and noting it. */
  send(batches: readonly Batch[]): void;
  /** Sends the newest record, for displays; absent if there is no output for it. `ledger`: see Batch; it counts nothing of this one. */
  sendNewest?(record: DueRecord, ledger?: Ledger): void;
  notify(notice: PollNotice): void;
  /** Reports how many records are unconfirmed, when they block others or are overdue. */
  showUnconfirmed?(count: number): void;
}
