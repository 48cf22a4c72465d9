// Builds the messages that nodes send: the incoming message with its payload replaced, so that other properties survive.
import type { NodeAPI, NodeMessage } from "node-red";
import type { MessageEnergy } from "../../../src/messages/messages";
import type { SeriesAddress } from "../../../src/ledger/record-id";

export interface Content {
  payload: unknown;
  energy: MessageEnergy;
  /** `account`: about no site, whatever the incoming message was of. Absent: site and topic stay as they came. */
  address?: SeriesAddress | "account";
}

export type MessageMaker = (content: Content) => NodeMessage;

/**
 * Makes messages from an incoming one. Many messages may come of one, and each is free to be changed by who gets it:
 * what is no plain value is cloned for each.
 */
export function messageMaker(RED: NodeAPI, incoming: NodeMessage): MessageMaker {
  const { payload: _payload, energy: _energy, ...rest } = incoming;
  const isFlat = Object.values(rest).every((value) => typeof value !== "object" || value === null);
  return ({ payload, energy, address }) => {
    // The spread stands last: V8 takes forty times as long to add properties to an object that began as a spread.
    const message: NodeMessage = { payload, energy, ...(isFlat ? rest : RED.util.cloneMessage(rest)) };
    if (address === "account") dropAddress(message);
    else if (address) setAddress(message, address);
    return message;
  };
}

function dropAddress(message: NodeMessage): void {
  if ("siteId" in message) delete message["siteId"];
  if ("systemId" in message) delete message["systemId"];
}

/**
 * A node that reads systems names one, or undefined, in its address, and that decides. Behind a node that knows only
 * sites, the system that came with the message goes on where it belongs to the same site.
 */
export function setAddress(message: NodeMessage, address: SeriesAddress): void {
  const { siteId, systemId } = address;
  const isOther = "systemId" in address || message["siteId"] !== siteId;
  if (isOther && "systemId" in message) delete message["systemId"];
  message["siteId"] = siteId;
  if (systemId !== undefined) message["systemId"] = systemId;
  message.topic = systemId === undefined ? siteId : `${siteId}/${systemId}`;
}
