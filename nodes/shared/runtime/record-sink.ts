// Sends the records of one series to the flow: the engine's sink.
import type { Node, NodeAPI } from "node-red";
import { recordIds, type SeriesAddress, type SourceName } from "../../../src/ledger/record-id";
import { batchContent, recordContent, type RecordDescription } from "../../../src/messages/record-message";
import { SERIES } from "../../../src/messages/series";
import type { RecordSink } from "../../../src/polling/ports";
import { waitFor } from "../../../src/waiting";
import { pollNotice } from "./poll-notices";
import { recordBasis } from "./record-source";
import type { Run } from "./service-node";
import { deliveryStatus, nodeStatus } from "./status";

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
  const idOf = recordIds(address, source);
  const { energy } = SERIES[source];
  // Nothing is sent before `prepare`.
  let description: RecordDescription = { idOf, energy, basisOf: () => undefined };
  let isPrepared = false;
  return {
    /** The basis is read once for each run, so that resending needs no request. */
    async prepare(signal) {
      if (isPrepared) return;
      const basisOf = await waitFor(recordBasis(run.account(), address), signal);
      description = { idOf, energy, basisOf };
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
