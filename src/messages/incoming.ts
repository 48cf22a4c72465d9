// Reads an incoming message once, and finds out which of its properties cannot be copied safely.
import { types } from "node:util";
import { InputError } from "../errors";
import { MAX_COPIED_VALUES, MAX_DEPTH, MAX_PAYLOAD_VALUES, MAX_STATUS_VALUE_LENGTH } from "../limits";
import { shownText } from "../shown-text";

/** A message as it was when it arrived. */
export interface Incoming {
  /** A plain object with the properties that can be copied. Not the message itself, which may change when it is read. */
  readonly message: Readonly<Record<string, unknown>>;
  /** The properties that cannot, each with the reason. */
  readonly faults: ReadonlyMap<string, InputError>;
}

/** A message that is itself not readable has this instead of the name of a property. */
const WHOLE = "*";

/** The objects of an open HTTP request: Node-RED takes them off a message while it copies that, if it can. */
const TAKEN_OFF = new Set(["req", "res"]);

/** What the nodes read, and replace in the messages that they send. The rest is copied for each of these. */
const READ_ONCE = new Set(["payload", "energy"]);

/** Never throws. A property with a name that every object has, such as `hasOwnProperty`, is left out. */
export function readIncoming(given: unknown): Incoming {
  const message: Record<string, unknown> = {};
  const faults = new Map<string, InputError>();
  const read = new Budget(MAX_PAYLOAD_VALUES);
  const copied = new Budget(MAX_COPIED_VALUES);
  for (const name of namesOf(given, faults)) {
    if (name in Object.prototype) continue;
    try {
      const value = ownValue(given as object, name);
      const isCopied = !TAKEN_OFF.has(name) || Object.isSealed(given);
      if (isCopied) assertCopyable(name, value, READ_ONCE.has(name) ? read : copied);
      message[name] = value;
    } catch (error) {
      faults.set(name, error instanceof InputError ? error : unreadable(name));
    }
  }
  return { message, faults };
}

function namesOf(given: unknown, faults: Map<string, InputError>): string[] {
  if (isObject(given) && !types.isProxy(given)) return Object.keys(given);
  faults.set(WHOLE, unreadable(WHOLE));
  return [];
}

function unreadable(name: string): InputError {
  return new InputError("messageUnreadable", { name: shownName(name) });
}

function shownName(name: string): string {
  return shownText(name, MAX_STATUS_VALUE_LENGTH);
}

/** How many values a byte of a typed array counts for. */
const BYTE_COST = 10;

/** How many values may still be visited. */
class Budget {
  #left: number;

  constructor(readonly limit: number) {
    this.#left = limit;
  }

  /** Whether that many values are within the budget. */
  spend(count: number): boolean {
    this.#left -= count;
    return this.#left >= 0;
  }
}

/** An object that is still to be visited, and those visited before it. */
interface Visit {
  value: object;
  depth: number;
  seen: Set<object>;
}

/**
 * Visits a value in the order in which Node-RED copies it, without recursion. Throws InputError if it is too deep or too
 * large, and TypeError if it is not data.
 */
function assertCopyable(name: string, root: unknown, budget: Budget): void {
  if (!isObject(root)) return;
  const stack: Visit[] = [{ value: root, depth: 1, seen: new Set() }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, depth, seen } = next;
    if (seen.has(value)) continue;
    seen.add(value);
    if (depth > MAX_DEPTH) throw new InputError("messageDeep", { name: shownName(name), levels: MAX_DEPTH });
    // What a proxy says now need not be what it says later.
    if (types.isProxy(value)) throw unreadable(name);
    // A sparse array is copied with its gaps.
    const length = Array.isArray(value) ? value.length : slowBytesOf(value) * BYTE_COST;
    if (!budget.spend(length)) throw tooLarge(name, budget);
    const parts = partsOf(value);
    if (!budget.spend(Math.max(parts.length - length, 0))) throw tooLarge(name, budget);
    // Node-RED does not notice that a map or set contains itself.
    const seenInside = types.isMap(value) || types.isSet(value) ? new Set<object>() : seen;
    for (const part of parts.toReversed())
      if (isObject(part)) stack.push({ value: part, depth: depth + 1, seen: seenInside });
  }
}

function tooLarge(name: string, { limit }: Budget): InputError {
  return new InputError("messageLarge", { name: shownName(name), values: limit });
}

/** Node-RED copies typed arrays number by number, and much more slowly than other arrays. */
function slowBytesOf(value: object): number {
  return ArrayBuffer.isView(value) && !Buffer.isBuffer(value) ? value.byteLength : 0;
}

function partsOf(value: object): unknown[] {
  if (types.isMap(value)) return [...value].flat();
  if (types.isSet(value)) return [...value];
  // A buffer is copied as a whole. Other arrays of numbers are counted elsewhere.
  if (ArrayBuffer.isView(value)) return [];
  const keys = [...Object.keys(value), ...Object.getOwnPropertySymbols(value)];
  return keys.map((key) => ownValue(value, key));
}

/** Throws if it is not a value but a function that gets one: the next value may be another. */
function ownValue(object: object, key: PropertyKey): unknown {
  const property = Reflect.getOwnPropertyDescriptor(object, key);
  if (property?.get ?? property?.set) throw new TypeError("an accessor is not data");
  return property?.value;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
