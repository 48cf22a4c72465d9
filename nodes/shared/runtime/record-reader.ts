// How a poll reads records of one kind, and by which rule.
import type { MessageEnergy, RecordInfo, RecordsInfo } from "../../../src/messages/messages";
import type { IntervalRecord } from "../../../src/models/telemetry";
import type { LedgerRule } from "../../../src/ledger/ledger";
import type { RecordSource, SeriesAddress } from "../../../src/ledger/record-id";
import type { TimeWindow } from "../../../src/ledger/window";
import type { Run } from "./runs";

/** How one kind of records is read and told. */
export interface RecordReader {
  source: RecordSource;
  /** Whether every request needs PC1 behaviour. */
  pc1: boolean;
  /** Whether the newest record also goes to an output of its own. */
  hasNewestOutput: boolean;
  read: (run: Run, address: SeriesAddress, window: TimeWindow) => Promise<IntervalRecord[]>;
  energy: (info: RecordInfo | RecordsInfo) => MessageEnergy;
}

export interface PollRule extends LedgerRule {
  /** Milliseconds before now that a new ledger starts; undefined = from the newest record on. */
  startBefore: number | undefined;
  isBatch: boolean;
}
