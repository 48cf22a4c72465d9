// Sends the records of one series to the flow: the engine's sink.
import { type RecordBasis, recordBasis } from "./record-source";
import type { Node, NodeAPI } from "node-red";
import { recordIds, type SeriesAddress, type SourceName } from "../../../src/ledger/record-id";
import { batchContent, recordContent, type RecordDescription } from "../../../src/messages/record-message";
import { SERIES } from "../../../src/messages/series";
import type { RecordSink } from "../../../src/polling/ports";
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
  let basis: Promise<RecordBasis> | undefined;
  /** Read once for each run, so that resending needs no request. */
  const idOf = recordIds(address, source);
  const description = async (): Promise<RecordDescription> => ({
    idOf,
    energy: SERIES[source].energy,
    basisOf: await (basis ??= recordBasis(run.account(), address)),
  });
  return {
    async send(batches) {
      const by = await description();
      for (const { records, deliveryId } of batches)
        run.send(run.make(content(address, by, [...records], deliveryId)));
    },
    ...(hasNewestOutput && {
      async sendNewest(record) {
        run.send([null, run.make(recordContent(address, await description(), [record]))]);
      },
    }),
    showUnconfirmed: (count) => node.status(nodeStatus(RED, deliveryStatus("unconfirmed", count))),
  };
}
