// Makes the messages for an mqtt out node.
import type { NodeAPI, NodeMessage } from "node-red";
import type { Publication } from "../../src/mqtt/publication";
import { messageMaker } from "../shared/runtime/message";

/** What is to be published, and what its messages carry in `msg.energy`. */
export interface Parcel {
  publications: Publication[];
  energy: Record<string, unknown>;
}

/**
 * The messages of all that came of one message. Only the last of them carries `delivery`: once the broker has that one, it
 * has all of them.
 */
export function outgoing(
  RED: NodeAPI,
  incoming: NodeMessage,
  parcels: Parcel[],
  { qos, delivery }: { qos: number; delivery?: unknown },
): NodeMessage[] {
  const make = messageMaker(RED, incoming);
  const messages = parcels.flatMap(({ publications, energy }) =>
    publications.map(({ topic, payload, retain }) => {
      const own = { ...RED.util.cloneMessage(energy), kind: "mqtt" as const };
      return Object.assign(make({ payload, energy: own }), { topic, qos, retain });
    }),
  );
  const last = messages.at(-1);
  if (last && delivery !== undefined) Object.assign(last["energy"] as object, { delivery });
  return messages;
}
