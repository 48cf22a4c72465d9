// How records reach the flow: handed over, or handed over until a following node confirms them.
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import type { NodeMessage } from "node-red";
import { AbortedError } from "../../../src/client/errors";
import type { DueRecord } from "../../../src/records/ledger";

/** One message, and the records in it. */
export interface Parcel {
  due: DueRecord[];
  /** Makes the message anew, so that nothing that a following node changed goes out twice. */
  message: (deliveryId?: string) => NodeMessage;
}

export interface Delivery {
  /** Hands parcels to the flow, in order. Resolves when all are sent; rejects with AbortedError when closed meanwhile. */
  send(parcels: Parcel[], send: (message: NodeMessage) => void, signal: AbortSignal): Promise<void>;
  /** Records that were sent and do not count as delivered yet. */
  pending(): DueRecord[];
}

/** Tells that records count as delivered from now on. */
export type OnDelivered = (due: DueRecord[]) => Promise<void>;

/** Records count as delivered when they were handed over and the event loop has turned. */
export class SentDelivery implements Delivery {
  constructor(private readonly onDelivered: OnDelivered) {}

  async send(parcels: Parcel[], send: (message: NodeMessage) => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new AbortedError();
    if (parcels.length === 0) return;
    for (const { message } of parcels) send(message());
    await eventLoopTurn();
    // Closed meanwhile: whether a following node has seen them is unknown, so they are still owed.
    if (signal.aborted) throw new AbortedError();
    await this.onDelivered(parcels.flatMap(({ due }) => due));
  }

  pending(): DueRecord[] {
    return [];
  }
}
