// Tests that the expressions of the examples live with values that are null, which are no numbers.
import assert from "node:assert/strict";
import { util } from "node-red";
import { exampleNames, readExample } from "../support/examples";
import type { FlowNode } from "../support/runtime";

/** The expressions of a debug node. */
function expressionsOf({ statusType, statusVal, targetType, complete }: FlowNode): string[] {
  return [
    ...(statusType === "jsonata" ? [statusVal] : []),
    ...(targetType === "jsonata" ? [complete] : []),
  ].map(String);
}

/** A message that holds null for each path in the expression, in one record, or in two if the expression adds them up. */
function withoutValues(expression: string): Record<string, unknown> {
  const message: Record<string, unknown> = { energy: { hasRgm: true } };
  for (const [path] of expression.matchAll(/\bpayload(\.\w+)+/g)) {
    const names = path.split(".").slice(1);
    const payload = (message["payload"] ??= {}) as Record<string, unknown>;
    let place = payload;
    for (const name of names.slice(0, -1)) place = (place[name] ??= {}) as Record<string, unknown>;
    place[names.at(-1) ?? ""] = null;
  }
  const { payload } = message;
  return expression.includes("$sum(") ? { ...message, payload: [payload, payload] } : message;
}

describe("examples: expressions", () => {
  for (const name of exampleNames)
    for (const node of readExample(name).filter(({ type }) => type === "debug"))
      for (const expression of expressionsOf(node))
        it(`of ${node.id} live with null and without a record`, async () => {
          const prepared = util.prepareJSONataExpression(expression, node as never);
          for (const message of [withoutValues(expression), {}]) {
            const text: unknown = await new Promise((resolve, reject) => {
              util.evaluateJSONataExpression(prepared, message, (error, value: unknown) =>
                error ? reject(error) : resolve(value),
              );
            });
            assert.doesNotMatch(String(text), /\b0 (W|kWh)\b/);
          }
        });
});
