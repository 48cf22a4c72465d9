// Tests for invalid threshold input: the error names the cause, and nothing is sent.
import assert from "node:assert/strict";
import { startThreshold, type ThresholdNode } from "../support/threshold-node";

describe("threshold: rejects", () => {
  let node: ThresholdNode;

  afterEach(() => node.stop());

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    node = await startThreshold(properties);
  };

  for (const [name, properties, message, text] of [
    ["text", {}, { payload: "70" }, /must be a number, but is text/],
    ["an object", {}, { payload: { a: 1 } }, /is an object/],
    ["true", {}, { payload: true }, /is a boolean/],
    ["NaN", {}, { payload: Number.NaN }, /is NaN/],
    ["an invalid expression", { property: "(", propertyType: "jsonata" }, {}, /jsonata \( cannot/],
  ] as const) {
    it(`${name} with ENERGY_INPUT, and sends nothing`, async () => {
      await start(properties);
      node.input(message);
      const caught = await node.caught();
      assert.match(caught.error.message, text);
      assert.equal(caught.energy.error.code, "ENERGY_INPUT");
      assert.deepEqual(node.counts(), [0, 0, 0]);
      assert.equal(node.statuses().at(-1), "bad input");
    });
  }

  for (const [name, properties, text] of [
    ["low above high", { low: 61 }, /Low must be below High/],
    ["low equal to high", { low: 60 }, /Low must be below High/],
    ["a missing high", { high: "" }, /^High .*must be a number/],
    ["text for low", { low: "few" }, /^Low .*must be a number/],
    ["an empty value", { property: " " }, /Value must not be empty/],
    ["a negative hold", { hold: -1 }, /\(min\) must be a number from 0 to 10080/],
  ] as const) {
    it(`${name} with ENERGY_CONFIG, and sends nothing`, async () => {
      await start(properties);
      node.input({ payload: 70 });
      const caught = await node.caught();
      assert.match(caught.error.message, text);
      assert.equal(caught.energy.error.code, "ENERGY_CONFIG");
      assert.deepEqual(node.counts(), [0, 0, 0]);
      assert.equal(node.statuses().at(-1), "not set up");
    });
  }

  it("text without changing sides or becoming unsafe", async () => {
    await start();
    await node.process({ payload: 70 });
    node.input({ payload: "?" });
    await node.caught();
    await node.process({ payload: 71 });
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });
});
