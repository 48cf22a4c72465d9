// Sends the records of one series into the flow, as the engine hands them over.
import type { Node, NodeAPI } from "node-red";
import type { SeriesAddress } from "../../../src/ledger/record-id";
import type { RecordSink } from "../../../src/polling/ports";
import { type RecordBasis, recordBasis } from "./record-basis";
import { batchContent, recordContent, type RecordTeller } from "./record-message";
import type { Run } from "./service-node";
import { heldUpStatus, nodeStatus } from "./status";

export interface RecordSinkOptions extends Pick<RecordTeller, "series" | "energy"> {
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
  { series, energy, isBatch, hasNewestOutput }: RecordSinkOptions,
): RecordSink {
  const content = isBatch ? batchContent : recordContent;
  let basis: Promise<RecordBasis> | undefined;
  /** Known once for the run: what is sent again later needs no request. */
  const teller = async (): Promise<RecordTeller> => ({
    series,
    energy,
    basisOf: await (basis ??= recordBasis(run.account(), address)),
  });
  return {
    async send(batches) {
      const by = await teller();
      for (const { records, deliveryId } of batches)
        run.send(run.make(content(address, by, [...records], deliveryId)));
    },
    ...(hasNewestOutput && {
      async sendNewest(record) {
        run.send([null, run.make(recordContent(address, await teller(), [record]))]);
      },
    }),
    showUnconfirmed: (count) => node.status(nodeStatus(RED, heldUpStatus("unconfirmed", count))),
  };
}
