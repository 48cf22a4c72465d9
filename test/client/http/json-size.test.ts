// Tests for measuring JSON: values and depth are exact, and strings count as one value, whatever is in them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonSizeOf, sizeOfValue } from "../../../src/client/http/json-size";
import { MAX_DEPTH, MAX_JSON_VALUES } from "../../../src/limits";

function valuesIn(value: unknown): number {
  return typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, part) => sum + valuesIn(part), 1)
    : 1;
}

function depthOf(value: unknown): number {
  return typeof value === "object" && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0;
}

describe("the size of JSON", () => {
  for (const [text, values, depth] of [
    ["7", 1, 0],
    ["[ ]", 1, 1],
    ["[{}, {}]", 3, 2],
    ['{"a": [1, 2]}', 4, 2],
    ['["[[[,,\\"{", "\\\\"]', 3, 1],
    ["[[[]], 1]", 4, 3],
  ] as const) {
    it(`is ${values} values and ${depth} levels for ${text}`, () =>
      assert.deepEqual(jsonSizeOf(text), { values, depth }));
  }

  it("is exact for any JSON, compact or indented", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(2), (value, indent) => {
        const expected = { values: valuesIn(value), depth: depthOf(value) };
        const text = JSON.stringify(value, null, indent);
        assert.deepEqual(jsonSizeOf(text), expected);
        assert.deepEqual(sizeOfValue(JSON.parse(text)), expected);
      }),
    );
  });

  it("is measured no deeper than the limit once parsed, and counts what objects inherit as nothing", () => {
    const deep: unknown = JSON.parse("[".repeat(500_000) + "]".repeat(500_000));
    assert.equal(sizeOfValue(deep).depth, MAX_DEPTH + 1);
    assert.deepEqual(sizeOfValue(JSON.parse('{"__proto__": {"a": 1}}')), { values: 3, depth: 2 });
  });

  it("is counted no further than the limits", () => {
    assert.equal(jsonSizeOf("[".repeat(1_000_000)).depth, MAX_DEPTH + 1);
    assert.equal(jsonSizeOf(`[${"0,".repeat(1_000_000)}0]`).values, MAX_JSON_VALUES + 1);
  });
});
