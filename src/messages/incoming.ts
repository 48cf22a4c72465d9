// Reads an incoming message once: finds out what of it cannot be copied, and copies what a sink passes on as plain data.
import { types } from "node:util";
import { InputError } from "../errors";
import { inTurns } from "../loop-turns";
import {
  MAX_COPIED_VALUES,
  MAX_DEPTH,
  MAX_KEPT_MESSAGE,
  MAX_PAYLOAD_CHARACTERS,
  MAX_PAYLOAD_VALUES,
  MAX_PROPERTIES,
  MAX_STATUS_VALUE_LENGTH,
} from "../limits";
import { shownText } from "../shown-text";

/** A message as it was when it arrived. */
export interface Incoming {
  /** A plain object with the properties that can be copied. */
  readonly message: Readonly<Record<string, unknown>>;
  /** The properties that cannot, each with the reason. */
  readonly faults: ReadonlyMap<string, InputError>;
}

/** A message that cannot be read at all has this instead of the name of a property. */
const WHOLE = "*";

/** The objects of an open HTTP request: Node-RED takes them off a message while it copies that. */
const TAKEN_OFF = new Set(["req", "res"]);

/** What the nodes read, and replace in the messages that they send. The rest is copied for each of these. */
const READ_ONCE = new Set(["payload", "energy"]);

/** An object with more properties than about this is a hash table for JavaScript, slow to list and to copy. */
const WIDE = 1000;

/** How many values are examined for getters, which takes long: what has more comes from a service. */
const CAREFULLY_READ = 10_000;

/** How many values a byte of a typed array counts for: Node-RED copies them number by number, and slowly. */
const BYTE_COST = 10;

/** Of a number, or of anything else that has no length. */
const NUMBER_BYTES = 8;

/** Never throws. A property with a name that every object has, such as `hasOwnProperty`, is left out. */
export function readIncoming(given: object): Incoming {
  const message: Record<string, unknown> = {};
  const faults = new Map<string, InputError>();
  const read = { limit: MAX_PAYLOAD_VALUES, spent: 0 };
  const copied = { limit: MAX_COPIED_VALUES, spent: 0 };
  const attempt = (name: string, step: () => void): void => {
    try {
      step();
    } catch (error) {
      const fault =
        error instanceof InputError ? error : new InputError("messageUnreadable", { name: shown(name) });
      faults.set(name, fault);
    }
  };
  attempt(WHOLE, () => {
    for (const name of Object.keys(given)) {
      if (name in Object.prototype) continue;
      attempt(name, () => {
        const value: unknown = Reflect.get(given, name);
        if (!TAKEN_OFF.has(name)) assertCopyable(value, name, READ_ONCE.has(name) ? read : copied);
        message[name] = value;
      });
    }
  });
  return { message, faults };
}

/** The message with copies of its payload and `msg.energy` as data. Throws like `copier`. */
export function plainMessage<Message extends { payload?: unknown; energy?: unknown }>(
  message: Message,
): Message {
  const { payload, energy } = message;
  return {
    ...message,
    ...("payload" in message && { payload: copier("payload")(payload, 0) }),
    ...("energy" in message && { energy: copier("energy")(energy, 0) }),
  };
}

/** Like `plainMessage`, with a list in turns of the event loop. Not the bare message: a promise waits for what has a `then`. */
export async function plainMessageInTurns<Message extends { payload?: unknown; energy?: unknown }>(
  message: Message,
): Promise<{ readonly plain: Message }> {
  if (!Array.isArray(message.payload)) return { plain: plainMessage(message) };
  const copy = copier("payload");
  const payload: unknown[] = [];
  await inTurns(message.payload, (item: unknown) => payload.push(copy(item, 1)));
  return { plain: { ...plainMessage({ ...message, payload: undefined }), payload } };
}

/** Visits a value in the order in which Node-RED copies it. Throws InputError if it is too deep or too large. */
function assertCopyable(root: unknown, name: string, budget: { limit: number; spent: number }): void {
  const wide = { limit: MAX_PROPERTIES, spent: 0 };
  const spend = (size: number, from = budget): void => {
    from.spent += size;
    if (from.spent > from.limit)
      throw new InputError("messageLarge", { name: shown(name), values: from.limit });
  };
  const visit = (value: unknown, depth: number, seen: Set<object>): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    if (depth > MAX_DEPTH) throw new InputError("messageDeep", { name: shown(name), levels: MAX_DEPTH });
    seen.add(value);
    if (Array.isArray(value)) {
      spend(value.length);
      for (const part of value as unknown[]) visit(part, depth + 1, seen);
    } else if (ArrayBuffer.isView(value)) {
      // A buffer is copied as a whole.
      spend(Buffer.isBuffer(value) ? 0 : value.byteLength * BYTE_COST);
    } else if (types.isMap(value) || types.isSet(value)) {
      const parts = types.isMap(value) ? [...value.keys(), ...value.values()] : [...value];
      spend(parts.length);
      // Node-RED does not notice that a map or set contains itself.
      const seenInside = new Set<object>();
      for (const part of parts) visit(part, depth + 1, seenInside);
    } else {
      const names = Object.keys(value);
      spend(names.length);
      if (names.length > WIDE) spend(names.length, wide);
      if (budget.spent <= CAREFULLY_READ) assertData(value);
      for (const own of names) visit((value as Record<string, unknown>)[own], depth + 1, seen);
    }
  };
  visit(root, 1, new Set());
}

/** Throws for an object with a getter: the next value that this returns may be another. */
function assertData(value: object): void {
  const properties = Object.values(Object.getOwnPropertyDescriptors(value));
  if (!properties.every((property) => "value" in property)) throw new TypeError("a getter is not data");
}

/**
 * Makes copies without functions, symbols and inherited properties, which together are bounded as one. Bytes and dates are kept.
 * Throws InputError for a value that contains itself, is nested too deep or too large, and for what JSON cannot hold.
 * @param name the property of the message
 */
function copier(name: string): (value: unknown, depth: number) => unknown {
  // What is referred to several times counts, and is copied, as often.
  let values = 0;
  let characters = 0;
  const text = (given: string): string => {
    characters += given.length;
    if (characters > MAX_PAYLOAD_CHARACTERS)
      throw new InputError("messageLong", { name, characters: MAX_PAYLOAD_CHARACTERS });
    return given;
  };
  const copy = (value: unknown, depth: number): unknown => {
    values += 1;
    if (values > MAX_PAYLOAD_VALUES)
      throw new InputError("messageLarge", { name, values: MAX_PAYLOAD_VALUES });
    if (typeof value === "string") return text(value);
    if (typeof value === "bigint") throw new InputError("messageNotData", { name });
    if (typeof value !== "object" || value === null) return isData(value) ? value : undefined;
    if (depth >= MAX_DEPTH) throw new InputError("messageCircular", { name });
    if (ArrayBuffer.isView(value)) return value;
    if (types.isDate(value)) return new Date(value);
    if (Array.isArray(value)) return Array.from(value, (item) => copy(item, depth + 1));
    const copied: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const own = (value as Record<string, unknown>)[key];
      if (!(key in Object.prototype) && isData(own)) copied[text(key)] = copy(own, depth + 1);
    }
    return copied;
  };
  return copy;
}

function isData(value: unknown): boolean {
  return typeof value !== "function" && typeof value !== "symbol";
}

function shown(name: string): string {
  return shownText(name, MAX_STATUS_VALUE_LENGTH);
}

/** Whether a message or a record takes more than is kept of one, in bytes, roughly, or contains itself. Visits no more than that. */
export function isLarge(message: object): boolean {
  let left = MAX_KEPT_MESSAGE;
  const visit = (value: unknown, depth: number): boolean => {
    left -= typeof value === "string" ? value.length : NUMBER_BYTES;
    if (left < 0 || typeof value !== "object" || value === null) return left < 0;
    if (depth > MAX_DEPTH) return true;
    if (ArrayBuffer.isView(value)) left -= value.byteLength;
    else if (value instanceof Map || value instanceof Set)
      return [...value].some((part) => visit(part, depth + 1));
    else return Object.entries(value).some(([name, own]) => visit(name, depth) || visit(own, depth + 1));
    return left < 0;
  };
  return visit(message, 0);
}
