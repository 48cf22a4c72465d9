// What goes into a poller, and what comes out of its runs.
import type { Clock } from "../clock";
import type { DueRecord } from "../ledger/due-record";
import type { Ledger } from "../ledger/ledger";
import type { TimeWindow } from "../ledger/window";
import type { StateStore } from "../stored-state";
import type { ConfirmRule } from "./confirmed-delivery";
import type { RunConditions } from "./delivery";
import type { RecordSource } from "./ports";
import type { ReadConditions, WindowRecords } from "./series-reader";
import type { StartRule } from "./series-start";

export interface PollRule extends StartRule {
  /** Whether all records of a run are sent as one message. */
  isBatch: boolean;
}

export interface SeriesPollerOptions {
  source: RecordSource;
  /** Absent: the position is lost with this object. */
  store?: StateStore<Ledger> | undefined;
  clock: Clock;
  rule: PollRule;
  /** Absent: records count as delivered once the flow has received them. */
  confirmRule?: ConfirmRule | undefined;
  /**
   * Whether the ledger travels: each message takes the one that is true once it is delivered. A batch is then sent even if
   * it is empty. Such a poller makes one run, and nothing has to be confirmed to it.
   */
  isCarried?: boolean | undefined;
}

export interface PollRun extends RunConditions {
  /** Where to start if no position is stored, in milliseconds. */
  start?: number | undefined;
}

/** The result of a run. */
export interface PollOutcome {
  /** Records sent, or waiting until others are confirmed. */
  count: number;
  /** End of the newest record, in milliseconds. */
  newestEnd: number | undefined;
  /** Unconfirmed records, if others wait for them; otherwise 0. The run goes on with `resume`. */
  unconfirmed: number;
}

/** Where a series stands. */
export interface SeriesSummary extends Pick<Ledger, "gaps" | "watched"> {
  /** End of the newest delivered record, in milliseconds. */
  readonly cursor: number;
  /** The next window to request; undefined if nothing is owed. */
  readonly owed: TimeWindow | undefined;
  /** The last gaps given up since the node started, oldest first. */
  readonly givenUp: readonly TimeWindow[];
  /** Records sent and not yet confirmed. */
  readonly unconfirmed: number;
}

/** What a run has read and sent so far. */
export interface Progress {
  readonly run: PollRun;
  readonly reading: ReadConditions;
  /** Responses read for the single message of a batch. */
  readonly collected: WindowRecords[];
  /** Windows without an answer. */
  readonly missing: TimeWindow[];
  count: number;
  isBlocked: boolean;
  /** The newest record of the series, if this run sent it: a copy, if it is sent a second time. */
  newest: DueRecord | undefined;
}
