// Tests for invalid threshold input: the error names the cause, and nothing is safe to act on.
import assert from "node:assert/strict";
import { startThreshold, type ThresholdNode, UNSAFE } from "../../support/threshold-node";

describe("threshold: rejects", () => {
  let node: ThresholdNode;

  afterEach(() => node.stop());

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    node = await startThreshold(properties);
  };

  for (const [name, properties, message, text] of [
    [
      "an expression that fails",
      { property: "$error('no')", propertyType: "jsonata" },
      {},
      /jsonata .* cannot/,
    ],
    [
      "an end that is no time",
      {},
      { payload: 70, energy: { endTime: "soon" } },
      /no valid startTime and endTime/,
    ],
    ["a record that ends in a number", {}, { payload: { endTime: 1 } }, /no valid startTime and endTime/],
    [
      "a start that is no time",
      {},
      { payload: 70, energy: { startTime: "", endTime: "2026-06-10T09:51:00Z" } },
      /no valid startTime and endTime/,
    ],
    ["a record without times", {}, { payload: 70, energy: { kind: "telemetry" } }, /no valid startTime/],
    ["a value without times", {}, { payload: 70, energy: { kind: "latest-value" } }, /no valid startTime/],
    ["an id of a site with a line break", {}, { payload: 70, siteId: "a\nb" }, /msg\.siteId/],
    ["an id of a system that is too long", {}, { siteId: "a", systemId: "b".repeat(256) }, /msg\.systemId/],
    ["a topic that is too long", {}, { payload: 70, topic: "t".repeat(1025) }, /1024/],
    [
      "a batch without times",
      {},
      { payload: [70], energy: { kind: "telemetry", records: [{ phase: "live" }] } },
      /no valid startTime/,
    ],
  ] as const) {
    it(`${name} with ENERGY_INPUT, and lets time run`, async () => {
      await start();
      await node.process({ payload: 70 });
      if (Object.keys(properties).length > 0) await node.redeploy(properties);
      node.input(message);
      const caught = await node.caught();
      assert.match(caught.error.message, text);
      assert.equal(caught.energy.error.code, "ENERGY_INPUT");
      assert.deepEqual(node.counts(), [1, 0, 0]);
      assert.equal(node.statuses().at(-1), "bad input");
    });
  }

  it("an invalid expression with ENERGY_CONFIG, and lets time run", async () => {
    await start();
    await node.process({ payload: 70 });
    await node.redeploy({ property: "(", propertyType: "jsonata" });
    node.input({});
    const caught = await node.caught();
    assert.match(caught.error.message, /jsonata \( cannot/);
    assert.equal(caught.energy.error.code, "ENERGY_CONFIG");
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  for (const [name, properties, text] of [
    ["low above high", { low: 61 }, /Low must be below High/],
    ["low equal to high", { low: 60 }, /Low must be below High/],
    ["a missing high", { high: "" }, /^High .*must be a number/],
    ["text for low", { low: "few" }, /^Low .*must be a number/],
    ["an empty value", { property: " " }, /Value must not be empty/],
    ["a negative hold", { hold: -1 }, /\(min\) must be a number from 0 to 10080/],
    ["a negative repeat", { repeat: -1 }, /\(min\) must be a number from 0 to 10080/],
    ["a minimum above the maximum", { min: 2, max: 1 }, /Minimum must not be above Maximum/],
    ["text for the minimum", { min: "few" }, /^Minimum .*must be a number/],
  ] as const) {
    it(`${name} with ENERGY_CONFIG, and is unsafe`, async () => {
      await start(properties);
      node.input({ payload: 70 });
      const caught = await node.caught();
      assert.match(caught.error.message, text);
      assert.equal(caught.energy.error.code, "ENERGY_CONFIG");
      assert.deepEqual(node.counts(), [0, 0, 1]);
      assert.equal(node.sentTo(UNSAFE)[0]?.energy.reason, "failed");
      assert.equal(node.statuses().at(-1), "not set up");
    });
  }
});
