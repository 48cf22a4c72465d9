// How records reach the flow: handed over, or handed over until a following node confirms them.
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import type { NodeMessage } from "node-red";
import { AbortedError } from "../../../src/errors";
import type { DueRecord } from "../../../src/ledger/due-record";
import type { Run } from "./runs";

/** One message, and the records in it. */
export interface Parcel {
  due: DueRecord[];
  /** Makes the message anew, so that nothing that a following node changed goes out twice. */
  message: (deliveryId?: string) => NodeMessage;
}

/** What a delivery needs of the run that sends. One that a message triggered waits for as long as it takes. */
export type Sending = Pick<Run, "send" | "signal" | "isTriggered">;

export interface Delivery {
  /**
   * Hands parcels to the flow, in order. Resolves to true when all are sent, to false when the rest has to wait for
   * another run; rejects with AbortedError when closed meanwhile.
   */
  send(parcels: Iterable<Parcel>, run: Sending): Promise<boolean>;
  /** Records that were sent and do not count as delivered yet. */
  pending(): DueRecord[];
}

/** Tells that records count as delivered from now on. */
export type OnDelivered = (due: DueRecord[]) => Promise<void>;

/** Records count as delivered when they were handed over and the event loop has turned. */
export class SentDelivery implements Delivery {
  constructor(private readonly onDelivered: OnDelivered) {}

  async send(parcels: Iterable<Parcel>, { send, signal }: Sending): Promise<boolean> {
    if (signal.aborted) throw new AbortedError();
    const delivered: DueRecord[] = [];
    for (const { due, message } of parcels) {
      send(message());
      delivered.push(...due);
    }
    if (delivered.length === 0) return true;
    await eventLoopTurn();
    // Closed meanwhile: whether a following node has seen them is unknown, so they are still owed.
    if (signal.aborted) throw new AbortedError();
    await this.onDelivered(delivered);
    return true;
  }

  pending(): DueRecord[] {
    return [];
  }
}
