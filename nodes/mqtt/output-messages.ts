// Builds the messages for an mqtt out node.
import type { NodeAPI, NodeMessage } from "node-red";
import type { Publication } from "../../src/mqtt/publications";
import { MAX_TOPIC_BYTES } from "../../src/limits";
import { messageMaker } from "../shared/runtime/base/message";

/** What to publish, and the `msg.energy` of its messages. */
export interface Batch {
  publications: Publication[];
  energy: Record<string, unknown>;
}

/**
 * Builds the messages for everything that one incoming message publishes. Only the last carries `delivery` and `ledger`:
 * once the broker has received it, it has received all of them.
 */
export function outputMessages(
  RED: NodeAPI,
  incoming: NodeMessage,
  batches: Batch[],
  { qos, delivery, ledger }: { qos: number; delivery?: unknown; ledger?: unknown },
): NodeMessage[] {
  const make = messageMaker(RED, incoming);
  const messages = batches.flatMap(({ publications, energy }) =>
    publications.filter(isPossible).map(({ topic, payload, retain }) => {
      const own = { ...RED.util.cloneMessage(energy), kind: "mqtt" as const };
      return Object.assign(make({ payload, energy: own }), { topic, qos, retain });
    }),
  );
  const last = messages.at(-1);
  const energy = last?.["energy"] ?? {};
  if (delivery !== undefined) Object.assign(energy, { delivery });
  if (ledger !== undefined) Object.assign(energy, { ledger });
  return messages;
}

/** A longer topic, from a long prefix, would break the connection to the broker. */
function isPossible({ topic }: Publication): boolean {
  return Buffer.byteLength(topic) <= MAX_TOPIC_BYTES;
}
