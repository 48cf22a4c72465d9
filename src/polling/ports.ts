// The ports of the polling engine: where records go, what a run is given, and what comes of it.
import type { DueRecord } from "../ledger/due-records";
import type { Ledger, LedgerRule } from "../ledger/ledger";
import type { TimeWindow } from "../time-units";
import type { UnreadableItem } from "../models/responses";
import type { RecordSource } from "../reading/record-reader";
import type { MissingWindow } from "../reading/window-records";

/** Records that are sent together: in one message, or each in its own, as the node is set. */
export interface Batch {
  readonly records: readonly DueRecord[];
  /** In confirmed delivery, where a batch is one message: the id that confirms it. */
  readonly deliveryId?: string;
  /** Where ledgers travel, in one message each: the one that is true once the message is delivered. */
  readonly ledger?: Ledger | undefined;
}

/** Something to report, which does not end a run: also if it was reported before. Times in milliseconds. */
export type PollReport =
  /** Requested for long enough: what is missing there is no longer requested. */
  | { kind: "given-up"; window: TimeWindow }
  /** Records that cannot be read stay gaps. */
  | { kind: "unreadable"; items: readonly UnreadableItem[] }
  /** A window for which every request fails, while others succeed, stays a gap. */
  | { kind: "failing"; window: MissingWindow };

/** Receives the records of a run, and builds a new message on each call, because the flow may change messages. */
export interface RecordSink {
  /** Sends the messages of each batch, in order, and at once: nothing may happen between sending and noting it. */
  send(batches: readonly Batch[]): void;
  /** Sends the newest record, if it is still fresh, for displays; absent if there is no output for it. `ledger`: see Batch; it counts nothing of this one. */
  sendNewest?(record: DueRecord, ledger?: Ledger): void;
  report(report: PollReport): void;
  /** Shows how many records are unconfirmed, when they block others or are overdue. */
  showUnconfirmed?(count: number, isOverdue: boolean): void;
}

export interface PollRule extends LedgerRule {
  /** How many milliseconds before now a new ledger starts; undefined = at the newest record. */
  startBefore: number | undefined;
  /** Whether all records of a run are sent as one message. */
  isBatch: boolean;
  /** Absent: records count as delivered once the flow has received them. */
  confirm?: ConfirmRule | undefined;
}

export interface ConfirmRule {
  timeoutMs: number;
  /** The most records in flight; a message with more than that is sent alone. */
  maxUnconfirmed: number;
}

export interface PollRun {
  source: RecordSource;
  sink: RecordSink;
  signal: AbortSignal;
  /** Whether a message triggered the run: it then requests every gap. */
  isByMessage: boolean;
  /** Where to start if no position is stored, in milliseconds. */
  start?: number | undefined;
}

export interface PollOutcome {
  /** Records sent, or waiting until others are confirmed. */
  count: number;
  /** End of the newest record, in milliseconds. */
  newestEnd: number | undefined;
  /** Unconfirmed records, if others wait for them; otherwise 0. */
  unconfirmed: number;
  /** What becomes of those that wait: settles once all are sent and the series is read on; never, if the poller is stopped. */
  rest?: Promise<PollOutcome | undefined>;
}
