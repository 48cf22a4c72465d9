// Reads an incoming message once: finds out what of it is too deep, too large or no data.
import { types } from "node:util";
import { InputError } from "../errors";
import {
  MAX_COPIED_VALUES,
  MAX_DEPTH,
  MAX_PAYLOAD_VALUES,
  MAX_PROPERTIES,
  MAX_STATUS_VALUE_LENGTH,
  WIDE,
} from "../limits";
import { shownText } from "../shown-text";

/** The objects of an open HTTP request: Node-RED takes them off a message while it copies that. */
const TAKEN_OFF = new Set(["req", "res"]);

/** What the nodes read, and replace in the messages that they send. The rest is copied for each of these. */
export const REPLACED: readonly string[] = ["payload", "energy"];

/** What JSON cannot hold, or calls. */
const NOT_DATA = new Set(["bigint", "function", "symbol"]);

/** Characters of a text that count for a value. */
const TEXT_OF_A_VALUE = 32;

/**
 * A plain object with the properties that can be read and copied, and why the others cannot. A property with a name that every
 * object has, such as `hasOwnProperty`, is left out.
 */
export function readIncoming(given: object) {
  const message: Record<string, unknown> = {};
  const faults = new Map<string, InputError>();
  const read = { limit: MAX_PAYLOAD_VALUES, spent: 0 };
  const copied = { limit: MAX_COPIED_VALUES, spent: 0 };
  for (const property of Object.keys(given)) {
    if (property in Object.prototype) continue;
    const name = shownText(property, MAX_STATUS_VALUE_LENGTH);
    try {
      const value: unknown = Reflect.get(given, property);
      if (REPLACED.includes(property)) assertData(value, name, read);
      else if (!TAKEN_OFF.has(property)) assertData(value, name, copied, new Set());
      message[property] = value;
    } catch (error) {
      faults.set(property, error instanceof InputError ? error : new InputError("messageNotData", { name }));
    }
  }
  return { message, faults };
}

/**
 * Throws InputError for a value that is too deep or too large, and for one to be read, also if it contains itself or is no data.
 * @param copied of a value to be copied: Node-RED copies once what is referred to several times, but for what is in maps and sets
 */
function assertData(
  root: unknown,
  name: string,
  budget: { limit: number; spent: number },
  copied?: Set<object>,
): void {
  const spend = (values: number): void => {
    budget.spent += values;
    if (budget.spent > budget.limit) throw new InputError("messageLarge", { name, values: budget.limit });
  };
  const visit = (value: unknown, depth: number, seen?: Set<object>): void => {
    if (!seen && NOT_DATA.has(typeof value)) throw new InputError("messageNotData", { name });
    if (!seen && typeof value === "string") spend(Math.floor(value.length / TEXT_OF_A_VALUE));
    if (typeof value !== "object" || value === null || seen?.has(value)) return;
    if (ArrayBuffer.isView(value)) {
      // Only a buffer is copied as a whole: Node-RED copies any other bytes one by one.
      spend(Buffer.isBuffer(value) ? 0 : value.byteLength);
      return;
    }
    if (depth > MAX_DEPTH) throw new InputError("messageDeep", { name, levels: MAX_DEPTH });
    const isCollection = types.isMap(value) || types.isSet(value);
    const inside = isCollection ? seen && new Set<object>() : seen?.add(value);
    const parts: unknown = isCollection ? [...value] : value;
    if (Array.isArray(parts)) {
      spend(parts.length);
      for (const part of parts as unknown[]) visit(part, depth + 1, inside);
    } else {
      // Listing a million names takes half a second, their values two; what is too large by now is not even listed.
      spend(0);
      const { length } = Object.keys(value);
      // Only so many may belong to wide objects.
      spend(length > WIDE ? (length * budget.limit) / MAX_PROPERTIES : length);
      // Not by name: after many shapes of objects, each lookup of a name may take a microsecond.
      for (const part of Object.values(value) as unknown[]) visit(part, depth + 1, inside);
    }
  };
  visit(root, 1, copied);
}
