// Sends the records of one series to the flow: the engine's sink.
import type { Node, NodeAPI } from "node-red";
import { recordIds, type SeriesAddress, type SourceName } from "../../../../src/ledger/record-id";
import { batchContent, recordContent, type RecordDescription } from "../../../../src/messages/record-message";
import { SERIES } from "../../../../src/messages/series";
import type { RecordSink } from "../../../../src/polling/ports";
import { waitFor } from "../../../../src/waiting";
import { pollNotice } from "./poll-notices";
import { recordDescription } from "./record-description";
import type { Run } from "../service-node";
import { deliveryStatus, nodeStatus } from "../status";

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
  const content = isBatch ? batchContent : recordContent;
  const { energy } = SERIES[source];
  // Nothing is sent before `prepare`.
  let description: RecordDescription = {
    idOf: recordIds(address, source),
    energy,
    basisOf: () => undefined,
  };
  let isPrepared = false;
  return {
    /** Once for each run, so that resending needs no request. */
    async prepare(signal) {
      if (isPrepared) return;
      description = {
        energy,
        ...(await waitFor(recordDescription(run.account(), address, source), signal)),
      };
      isPrepared = true;
    },
    send(batches) {
      for (const { records, deliveryId } of batches)
        run.send(run.make(content(address, description, records, deliveryId)));
    },
    ...(hasNewestOutput && {
      sendNewest(record) {
        run.send([null, run.make(recordContent(address, description, [record]))]);
      },
    }),
    notify: (notice) => run.notify(pollNotice(notice, address)),
    showUnconfirmed: (count) => node.status(nodeStatus(RED, deliveryStatus("unconfirmed", count))),
  };
}
