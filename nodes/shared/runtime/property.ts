// Evaluates a typed property of a node: from the message, a context, the environment, or a JSONata expression.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { InputError } from "../../../src/errors";
import { environmentValue } from "./settings";

/** Resolves to undefined if the path leads through null or a missing property. Rejects with InputError on other errors. */
export async function propertyValue(
  RED: NodeAPI,
  node: Node,
  text: string,
  type: string,
  message: NodeMessage,
): Promise<unknown> {
  if (type === "env") return environmentValue(RED, node, text);
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      // The path leads through null or a missing property, or an expression calculates with null.
      if (error instanceof TypeError || isAboutNull(error)) resolve(undefined);
      else reject(new InputError("propertyUnreadable", { type, text, reason: textOf(error) }));
    };
    try {
      RED.util.evaluateNodeProperty(text, type, node, message, (error, value: unknown) => {
        if (error) fail(error);
        else resolve(value);
      });
    } catch (error) {
      fail(error);
    }
  });
}

/** JSONata throws plain objects that hold the value that an operator or function rejected. */
function isAboutNull(error: unknown): boolean {
  return typeof error === "object" && error !== null && "value" in error && error.value === null;
}

function textOf(error: unknown): string {
  return isErrorLike(error) ? error.message : String(error);
}

function isErrorLike(error: unknown): error is { message: string } {
  return (
    typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"
  );
}
