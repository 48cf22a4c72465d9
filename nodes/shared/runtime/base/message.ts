// Builds outgoing messages: the incoming message with its payload replaced, so that other properties are kept.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import type { MessageEnergy } from "../../../../src/messages/messages";
import type { SeriesAddress } from "../../../../src/ledger/record-id";

export interface Content {
  payload: unknown;
  energy: MessageEnergy;
  /** `account` removes the site of the incoming message. If absent, site and topic are kept. */
  address?: SeriesAddress | "account";
}

/** `part`: its place in a sequence; an incoming `msg.parts` is nested inside. */
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
 */
export function messageMaker(RED: NodeAPI, incoming: NodeMessage): MessageMaker {
  const isFlat = Object.entries(incoming).every(([name, value]) => REPLACED.has(name) || !isObject(value));
  // Made once for many messages of one address. V8 copies a whole object much faster than it adds properties to one.
  let base: NodeMessage | undefined;
  let baseAddress: Content["address"];
  return ({ payload, energy, address }, part) => {
    if (!base || address !== baseAddress || (part && !("parts" in base)))
      base = baseMessage(incoming, address, part !== undefined);
    baseAddress = address;
    const message = isFlat ? { ...base } : RED.util.cloneMessage(base);
    message.payload = payload;
    message["energy"] = energy;
    if (part) message["parts"] = message["parts"] === undefined ? part : { parts: message["parts"], ...part };
    return message;
  };
}

/** What is replaced in every message. */
const REPLACED = new Set(["payload", "energy"]);

/** The incoming message with the address, and with room for what is replaced. */
function baseMessage(incoming: NodeMessage, address: Content["address"], hasPart: boolean): NodeMessage {
  const { payload: _payload, energy: _energy, ...rest } = incoming;
  const base: NodeMessage = { payload: undefined, energy: undefined, ...rest };
  if (address === "account") dropAddress(base);
  else if (address) setAddress(base, address);
  if (hasPart && !("parts" in base)) base["parts"] = undefined;
  return base;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function dropAddress(message: NodeMessage): void {
  if ("siteId" in message) delete message["siteId"];
  if ("systemId" in message) delete message["systemId"];
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
  message.topic = systemId === undefined ? siteId : `${siteId}/${systemId}`;
}

/** Whether anything receives what a node sends to an output. Outputs count from 1. */
export function isWired(node: Node, output: number): boolean {
  // Not in the published types; it follows a change of the wires, which the configuration does not.
  const { wires } = node as { wires?: readonly (readonly string[])[] };
  return wires?.[output - 1]?.length !== 0;
}
