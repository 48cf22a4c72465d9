// Sends the records of one series into the flow, as the engine hands them over.
import { type RecordBasis, recordBasis } from "./record-source";
import type { Node, NodeAPI } from "node-red";
import { recordIds, type SeriesAddress, type SourceName } from "../../../src/ledger/record-id";
import { batchContent, recordContent, type RecordDescription } from "../../../src/messages/record-message";
import { SERIES } from "../../../src/messages/series";
import type { RecordSink } from "../../../src/polling/ports";
import type { Run } from "./service-node";
import { heldUpStatus, nodeStatus } from "./status";

export interface RecordSinkOptions {
  source: SourceName;
  /** Whether a message holds all records of its batch, or one. */
  isBatch: boolean;
  /** Whether output 2 shows the newest record. */
  hasNewestOutput: boolean;
}

/** The messages go on from the one that triggered the run, also those that are sent again after it. */
export function recordSink(
  RED: NodeAPI,
  node: Node,
  run: Run,
  address: SeriesAddress,
  { source, isBatch, hasNewestOutput }: RecordSinkOptions,
): RecordSink {
  const content = isBatch ? batchContent : recordContent;
  let basis: Promise<RecordBasis> | undefined;
  /** Known once for the run: what is sent again later needs no request. */
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
    showUnconfirmed: (count) => node.status(nodeStatus(RED, heldUpStatus("unconfirmed", count))),
  };
}
