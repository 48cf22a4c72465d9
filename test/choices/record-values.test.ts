// Tests for the values of a record that the editor offers.
import assert from "node:assert/strict";
import { valuesOf } from "../../src/choices/site-choices";
import { nodeRedUtil } from "../support/node-red-util";

describe("choice of values", () => {
  it("lists every value by its path, null included", () => {
    const record = {
      endTime: "2026-01-01T00:00:00Z",
      grid: { power: -3.5, connectivityStatus: null },
      solar: null,
      isNew: true,
    };
    assert.deepEqual(valuesOf(record), [
      { path: "endTime", value: "2026-01-01T00:00:00Z" },
      { path: "grid.power", value: -3.5 },
      { path: "grid.connectivityStatus", value: null },
      { path: "solar", value: null },
      { path: "isNew", value: true },
    ]);
  });

  it("writes paths as latest value reads them", () => {
    const record = { g: { a: 1, b: { c: 2 } }, $x: { _y: 5 } };
    for (const { path, value } of valuesOf(record))
      assert.equal(nodeRedUtil.getObjectProperty(record, path), value, path);
    assert.equal(valuesOf(record).length, 3);
  });

  it("leaves out what no group of values has", () => {
    assert.deepEqual(valuesOf({ "two words": 1, "": 2, g: { 'a"b': 3, "\n": 5 }, list: [{ a: 3 }] }), []);
  });

  it("shows a number that is too large for JavaScript as null, and cuts long texts", () => {
    const values = valuesOf(JSON.parse(`{"a": 1e999, "b": "${"x".repeat(999)}"}`) as object);
    assert.equal(values[0]?.value, null);
    assert.equal(String(values[1]?.value).length, 80);
  });

  it("is bounded in depth and number", () => {
    let deep: object = { end: 1 };
    for (let level = 0; level < 60; level += 1) deep = { deep, level };
    assert.equal(valuesOf(deep).length, 6);
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`field${index}`, index]));
    assert.equal(valuesOf({ wide, other: wide }).length, 500);
  });
});
