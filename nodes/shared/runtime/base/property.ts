// Evaluates a typed property of a node: from the message, a context, the environment, or a JSONata expression.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { InputError } from "../../../../src/errors";
import { reasonOf } from "../../../../src/shown-text";
import { environmentValue } from "./settings";

/** What a property holds. Not the bare value: a promise waits for a value that has a `then`, perhaps forever. */
export interface PropertyValue {
  readonly value: unknown;
}

/** How long an expression may take, in milliseconds. */
const MAX_EVALUATION = 10_000;

/** The value is undefined if the path leads through null or a missing property. Rejects with InputError on other errors. */
export async function propertyValue(
  RED: NodeAPI,
  node: Node,
  text: string,
  type: string,
  message: NodeMessage,
): Promise<PropertyValue> {
  if (type === "env") return { value: environmentValue(RED, node, text) };
  return new Promise((resolve, reject) => {
    // An expression waits for what has a `then`, and may never hear of it.
    const timer = setTimeout(() => fail(new Error("it takes too long")), MAX_EVALUATION);
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      if (isAboutNull(error)) resolve({ value: undefined });
      else reject(new InputError("propertyUnreadable", { type, text, reason: reasonOf(error) }));
    };
    try {
      RED.util.evaluateNodeProperty(text, type, node, message, (error, value: unknown) => {
        clearTimeout(timer);
        if (error) fail(error);
        else resolve({ value });
      });
    } catch (error) {
      fail(error);
    }
  });
}

/**
 * Whether the path leads through null or a missing property, or an expression calculates with null: JSONata throws plain
 * objects that hold the value that an operator or function rejected.
 */
function isAboutNull(error: unknown): boolean {
  try {
    if (error instanceof TypeError) return true;
    return typeof error === "object" && error !== null && "value" in error && error.value === null;
  } catch {
    return false;
  }
}
