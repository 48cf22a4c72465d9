// Evaluates a typed property of a node: from the message, a context, the environment, or a JSONata expression.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { withSignal } from "../../../../src/abort";
import { ConfigError, errorText, InputError, reasonOf, type TextValue } from "../../../../src/errors";
import { environmentValue } from "./settings";

/** What a property holds. Not the bare value: a promise waits for a value that has a `then`, perhaps forever. */
export interface PropertyValue {
  readonly value: unknown;
}

type Expression = ReturnType<NodeAPI["util"]["prepareJSONataExpression"]>;

/** How long an expression may take, in milliseconds. */
const MAX_EVALUATION = 10_000;

/**
 * The value is undefined if the path leads through null or a missing property. Rejects with ConfigError for an expression that no
 * message can make valid, and with InputError on other errors.
 */
export async function propertyValue(
  RED: NodeAPI,
  node: Node,
  text: string,
  type: string,
  message: NodeMessage,
): Promise<PropertyValue> {
  if (type === "env") return { value: environmentValue(RED, node, text) };
  if (type === "jsonata") return expressionValue(RED, text, preparedExpression(RED, node, text), message);
  return evaluated(text, type, (done) => RED.util.evaluateNodeProperty(text, type, node, message, done));
}

/** Whether what a property holds may depend on the message, as by a path such as `units[msg.topic]`. */
export function isOfMessage(text: string, type: string): boolean {
  return type === "msg" || type === "jsonata" || (type !== "env" && text.includes("msg"));
}

/** Throws ConfigError for an expression that no message can make valid. */
export function preparedExpression(RED: NodeAPI, node: Node, text: string): Expression {
  try {
    return RED.util.prepareJSONataExpression(text, node);
  } catch (error) {
    throw new ConfigError("propertyUnreadable", { type: "jsonata", text, reason: reasonOf(error) });
  }
}

/** The value of a JSONata expression that was prepared, as `propertyValue`. */
export async function expressionValue(
  RED: NodeAPI,
  text: string,
  expression: Expression,
  message: NodeMessage,
): Promise<PropertyValue> {
  return evaluated(text, "jsonata", (done) => RED.util.evaluateJSONataExpression(expression, message, done));
}

async function evaluated(
  text: string,
  type: string,
  evaluate: (done: (error: Error | null, value: unknown) => void) => void,
): Promise<PropertyValue> {
  const unreadable = (reason: TextValue): InputError =>
    new InputError("propertyUnreadable", { type, text, reason });
  const value = (): Promise<PropertyValue> =>
    new Promise((resolve, reject) => {
      evaluate((error, found) => (error ? reject(error) : resolve({ value: found })));
    });
  try {
    // An expression waits for what has a `then`, and may never hear of it.
    return await withSignal([], value, {
      ms: MAX_EVALUATION,
      error: () => unreadable(errorText("takesTooLong")),
    });
  } catch (error) {
    if (isAboutNull(error)) return { value: undefined };
    throw error instanceof InputError ? error : unreadable(reasonOf(error));
  }
}

/**
 * Whether the path leads through null or a missing property, or an expression calculates with null: JSONata throws plain
 * objects that hold the value that an operator or function rejected.
 */
function isAboutNull(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  return typeof error === "object" && error !== null && "value" in error && error.value === null;
}
