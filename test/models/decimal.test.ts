// Tests for the values that count as numbers: text counts only if it is wholly a decimal number.
import assert from "node:assert/strict";
import { decimalOf } from "../../src/models/decimal";
import { cpuTime } from "../support/cpu-time";

describe("decimalOf", () => {
  for (const [value, expected] of [
    [0, 0],
    [-1.5, -1.5],
    ["70", 70],
    [" 57.5\n", 57.5],
    ["+3", 3],
    ["-.5", -0.5],
    ["1.", 1],
    ["2.5e-1", 0.25],
  ] as const) {
    it(`reads ${JSON.stringify(value)} as ${expected}`, () => assert.equal(decimalOf(value), expected));
  }

  for (const value of [
    null,
    undefined,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    true,
    {},
    [70],
    Buffer.from("70"),
    "",
    " ",
    ".",
    "57 %",
    "1,5",
    "0x10",
    "1e999",
    "Infinity",
    "--1",
    "1 2",
  ]) {
    it(`finds no number in ${typeof value} ${JSON.stringify(value) ?? ""}`, () =>
      assert.equal(decimalOf(value), null));
  }

  it("does not block the event loop for a long text that is almost a number", () => {
    const text = `${"1".repeat(100_000)}x`;
    assert.ok(cpuTime(() => assert.equal(decimalOf(text), null)) < 1000);
  });
});
