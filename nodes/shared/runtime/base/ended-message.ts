// Ends messages, whatever they hold: Node-RED copies a message for catch and complete nodes, and trusts it in doing so.
import { types } from "node:util";
import type { Node, NodeMessage } from "node-red";
import type { MessageEnergy } from "../../../../src/messages/messages";
import type { InputError } from "../../../../src/errors";

export type Send = (message: NodeMessage | (NodeMessage | null)[]) => void;

/** A message that waits for its work, and how to send and complete it. */
export interface Trigger {
  /** A plain object with what can be read and copied of the message. */
  readonly message: NodeMessage;
  /** The message itself, which Node-RED passes on when it is done; absent if it is the same object. */
  readonly original?: object;
  /** Why a part of the message is missing, if the work can do without. */
  readonly fault?: InputError | undefined;
  readonly send: Send;
  readonly done: (error?: Error) => void;
}

/** A message and how to end it. */
export type EndedTrigger = Pick<Trigger, "message" | "original" | "done">;

/** A message that a catch node can receive, with the properties of the given one. The error in it is replaced by Node-RED. */
export function errorMessageFrom(message: NodeMessage): NodeMessage {
  const copy: NodeMessage = { ...message };
  if (isObject(copy["error"])) copy["error"] = knownError(copy["error"]);
  return copy;
}

/** Node-RED looks into an earlier error, to notice loops, and trusts it to be its own: anything else becomes like that. */
function knownError(error: object): object {
  const { source, ...rest } = error as { source?: unknown };
  const count: unknown = isObject(source) && "count" in source ? source.count : 0;
  const isKnown = typeof count === "number" && "hasOwnProperty" in error;
  if (isKnown && !Object.keys(error).some(isOfEveryObject)) return error;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !isOfEveryObject(name)));
}

function isOfEveryObject(name: string): boolean {
  return name in Object.prototype;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a property can be taken from a message before Node-RED copies that. */
export function isRemovable(message: object, name: string): boolean {
  return Reflect.getOwnPropertyDescriptor(message, name)?.configurable === true;
}

/**
 * Completes a message. Faulty properties are taken from it first, because complete nodes receive a copy.
 * @param energy replaces its `msg.energy`
 */
export function complete({ message, original = message, done }: EndedTrigger, energy?: MessageEnergy): void {
  for (const name of Object.keys(original)) if (!(name in message)) Reflect.deleteProperty(original, name);
  if (energy) Reflect.set(original, "energy", energy);
  done();
}

/** Ends a message with an error, as a text: of an Error, the debug sidebar shows less. */
export function endWithError(
  node: Node,
  { message, original = message, done }: EndedTrigger,
  text: string,
  failed: NodeMessage,
): void {
  // The published types do not allow a text.
  if (becomes(original, failed)) (done as (text: unknown) => void)(text);
  // What cannot be changed could not be copied either: the catch node receives the rest of it.
  else node.error(text, failed);
}

/** Gives an object the properties of another one. False if that is not possible. */
function becomes(target: object, source: object): boolean {
  if (types.isProxy(target)) return false;
  try {
    if (!Reflect.ownKeys(target).every((key) => Reflect.deleteProperty(target, key))) return false;
    if (!Reflect.setPrototypeOf(target, Object.prototype)) return false;
    Object.assign(target, source);
    return true;
  } catch {
    return false;
  }
}
