// Sends the records of one series to the flow: the engine's sink.
import type { Node, NodeAPI } from "node-red";
import { carriedLedger, type CarriedLedger } from "../../../../src/ledger/carried-ledger";
import type { Ledger } from "../../../../src/ledger/ledger";
import { recordIds, type SeriesAddress, seriesId, type SourceName } from "../../../../src/ledger/record-id";
import { batchContent, recordContent, type RecordDescription } from "../../../../src/messages/record-message";
import type { RecordSink } from "../../../../src/polling/ports";
import { waitFor } from "../../../../src/abort";
import { isWired } from "../base/message";
import { pollNotice } from "./poll-notices";
import { recordDescription } from "./record-description";
import type { Run } from "../service/service-node";
import { warningStatus, showStatus } from "../base/status";

export interface RecordSinkOptions {
  source: SourceName;
  /** Whether a message holds a whole batch or a single record. */
  isBatch: boolean;
  /** Whether the newest record is also sent to output 2. */
  hasNewestOutput: boolean;
}

/** All messages, including those resent later, are based on the message that triggered the run. */
export function recordSink(
  RED: NodeAPI,
  node: Node,
  run: Run,
  address: SeriesAddress,
  { source, isBatch, hasNewestOutput }: RecordSinkOptions,
): RecordSink {
  // Nothing is sent before `prepare`.
  let description: RecordDescription = {
    kind: source,
    idOf: recordIds(address, source),
    basisOf: () => undefined,
  };
  let isPrepared = false;
  const series = seriesId(address, source);
  const carried = (ledger: Ledger | undefined): CarriedLedger | undefined =>
    ledger && carriedLedger(ledger, series);
  return {
    /** Once for each run, so that resending needs no request. */
    async prepare(signal) {
      if (isPrepared) return;
      description = {
        kind: source,
        ...(await waitFor(recordDescription(run.account(), address, source), signal)),
      };
      isPrepared = true;
    },
    send(batches) {
      for (const { records, deliveryId, ledger } of batches) {
        const travels = carried(ledger);
        if (isBatch) run.send(run.make(batchContent(address, description, records, deliveryId, travels)));
        else
          for (const record of records)
            run.send(run.make(recordContent(address, description, record, deliveryId, travels)));
      }
    },
    ...(hasNewestOutput &&
      isWired(node, 2) && {
        sendNewest(record, ledger) {
          const sent = recordContent(address, description, record, undefined, carried(ledger));
          run.send([null, run.make(sent)]);
        },
      }),
    notify: (notice) => run.notify(pollNotice(notice, address)),
    showUnconfirmed: (count) => showStatus(RED, node, warningStatus("unconfirmed", { count })),
  };
}
