// Tests for the JSON of a response: its values are counted exactly, and what is nested too deep is refused.
import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonOf, type Page } from "../../../src/client/http/response";
import { errorText, ResponseError } from "../../../src/errors";
import { MAX_DEPTH } from "../../../src/limits";

function valuesIn(value: unknown): number {
  return typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, part) => sum + valuesIn(part), 1)
    : 1;
}

describe("the JSON of a response", () => {
  const read = (text: string): Page =>
    jsonOf({ status: 200, text, contentType: "", link: "", retryAfter: undefined }, errorText("whatSites"));

  it("has its values counted, nested ones included", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: MAX_DEPTH - 1 }), (value) => {
        const text = JSON.stringify(value);
        const { body, values } = read(text);
        assert.deepEqual([body, values], [JSON.parse(text), valuesIn(value)]);
      }),
    );
    assert.equal(read('{"__proto__": {"a": 1}}').values, 3);
  });

  it("is refused beyond the limit, however deep it is", () => {
    assert.throws(() => read("[".repeat(100_000) + "]".repeat(100_000)), ResponseError);
    assert.equal(read("[".repeat(MAX_DEPTH) + "]".repeat(MAX_DEPTH)).values, MAX_DEPTH);
  });
});
