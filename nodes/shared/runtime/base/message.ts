// Builds outgoing messages: the incoming message with its payload replaced, so that other properties are kept.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { REPLACED } from "../../../../src/messages/incoming";
import type { MessageEnergy } from "../../../../src/messages/messages";
import type { SeriesAddress } from "../../../../src/series/identity";

export interface Content {
  payload: unknown;
  energy: MessageEnergy;
  /** `account` removes the site of the incoming message. If absent, site and topic are kept. */
  address?: SeriesAddress | "account";
}

/** `part`: its position in a sequence; an incoming `msg.parts` is nested inside. */
export type MessageMaker = (content: Content, part?: SequencePart) => NodeMessage;

/** `msg.parts` of one message of a sequence, as the core split node sets it for an array. */
export interface SequencePart {
  parts?: unknown;
  id: string;
  index: number;
  count?: number;
  type: "array";
  len: 1;
}

/**
 * Creates outgoing messages from an incoming one. Nodes downstream may modify each of them independently, so objects
 * are cloned for each message.
 * @param taken properties of the incoming message, or valid paths of some, that the node has taken as its own input: the next
 * node must not
 */
export function messageMaker(
  RED: NodeAPI,
  incoming: NodeMessage,
  taken: readonly string[] = [],
): MessageMaker {
  const isLeftOut = (name: string): boolean => REPLACED.includes(name) || taken.includes(name);
  const paths = taken.filter((path) => /[.[]/.test(path) && !(path in incoming));
  const own = paths.length > 0 ? RED.util.cloneMessage(incoming) : incoming;
  // Deletes what is there.
  for (const path of paths) RED.util.setMessageProperty(own, path, undefined);
  // Deleting properties would make V8 copy the rest slowly, for each record.
  const rest = Object.fromEntries(Object.entries(own).filter(([name]) => !isLeftOut(name)));
  const isFlat = !Object.values(rest).some(isObject);
  return ({ payload, energy, address }, part) => {
    const message: NodeMessage = { payload, energy, ...(isFlat ? rest : RED.util.cloneMessage(rest)) };
    if (address === "account") for (const id of ["siteId", "systemId"]) Reflect.deleteProperty(message, id);
    else if (address) setAddress(message, address);
    if (part) message["parts"] = message["parts"] === undefined ? part : { parts: message["parts"], ...part };
    return message;
  };
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/**
 * If the address has a `systemId`, even undefined, it replaces that of the message. If it names only a site, the
 * message keeps its system as long as the site is the same.
 */
export function setAddress(message: NodeMessage, address: SeriesAddress): void {
  const { siteId, systemId } = address;
  const isOther = "systemId" in address || message["siteId"] !== siteId;
  if (isOther && "systemId" in message) delete message["systemId"];
  message["siteId"] = siteId;
  if (systemId !== undefined) message["systemId"] = systemId;
  message.topic = topicOf(address);
}

/** The site, and its system if it is known, as people read them. */
export function topicOf({ siteId, systemId }: SeriesAddress): string {
  return systemId === undefined ? siteId : `${siteId}/${systemId}`;
}

/** Whether anything receives what a node sends to an output. Outputs count from 1. */
export function isWired(node: Node, output: number): boolean {
  // Not in the published types; it follows a change of the wires, which the configuration does not.
  const { wires } = node as { wires?: readonly (readonly string[])[] };
  return wires?.[output - 1]?.length !== 0;
}
