// Tests for points: records of every node become points, the message still confirms them, what is no record is left out.
import assert from "node:assert/strict";
import type { PointsMessage } from "../../../src/messages/messages";
import { type NodeUnderTest, startNode } from "../../support/flow";

const END = "2026-06-10T10:05:00Z";
const RECORD = { startTime: "2026-06-10T10:00:00Z", endTime: END, storage: { stateOfCharge: 55 } };
const EMPTY = { ...RECORD, storage: { stateOfCharge: null } };
const POINT = {
  measurement: "energy",
  tags: { siteId: "a", systemId: "b" },
  fields: { storage_stateOfCharge: 55 },
  timestamp: new Date(END),
};
const SOURCE = { siteId: "a", systemId: "b", topic: "a/b" };

describe("points", () => {
  let node: NodeUnderTest;

  afterEach(() => node.stop());

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    const env = [{ name: "MEASUREMENT", value: "readings", type: "str" }];
    node = await startNode("energy-points", { target: "influxdb", ...properties }, { account: null, env });
  };
  const convert = async (message: Record<string, unknown>): Promise<PointsMessage> => {
    node.input({ ...SOURCE, ...message });
    return await node.output<PointsMessage>();
  };

  it("makes a point from a record, and leaves the rest of the message unchanged", async () => {
    await start();
    const energy = { kind: "telemetry", phase: "catchup", recordId: "a/b/1", delivery: "d-1" };
    const message = await convert({ payload: RECORD, energy, other: [1] });
    assert.deepEqual(message.payload, [POINT]);
    assert.deepEqual(message.energy, energy);
    const { topic, other } = message as unknown as Record<string, unknown>;
    assert.deepEqual([topic, other], ["a/b", [1]]);
    assert.equal(node.statuses().at(-1), "1 point");
  });

  it("makes points from an array of records, but none from records without values", async () => {
    await start({ measurement: "${MEASUREMENT}" });
    const { payload } = await convert({ payload: [RECORD, EMPTY, RECORD] });
    const point = { ...POINT, measurement: "readings" };
    assert.deepEqual(payload, [point, point]);
  });

  it("makes points of the records in an array, confirms nothing, and fails with the places of what is none", async () => {
    await start();
    const energy = { kind: "telemetry", delivery: "d" };
    const bad = [7, {}, null, {}, "x", {}];
    const message = await convert({ payload: [RECORD, ...bad, RECORD], energy });
    assert.deepEqual([message.payload, message.energy], [[POINT, POINT], { kind: "telemetry" }]);
    const { error, energy: failed } = await node.caught();
    assert.equal(failed.error.code, "ENERGY_INPUT");
    assert.match(error.message, /\(it is a number\).*Not sent: payload\[1\], .*payload\[6\]\.$/);
  });

  it("uses the record of a latest value, whatever its path", async () => {
    await start();
    const energy = { kind: "latest-value", path: "storage.stateOfCharge", record: RECORD };
    assert.deepEqual((await convert({ payload: 55, energy })).payload, [POINT]);
  });

  it("makes no point for a meter that has no record yet", async () => {
    await start();
    const energy = { kind: "rgm", hasRgm: true };
    assert.deepEqual((await convert({ payload: null, energy })).payload, []);
  });

  it("sends an empty array for a record without values, so that the record is confirmed", async () => {
    await start();
    const { payload, energy } = await convert({
      payload: EMPTY,
      energy: { kind: "telemetry", delivery: "d" },
    });
    assert.deepEqual([payload, energy], [[], { kind: "telemetry", delivery: "d" }]);
  });

  it("sends an empty text as line protocol only where it confirms a record without values", async () => {
    await start({ target: "line" });
    node.input({ ...SOURCE, payload: EMPTY });
    await node.completed();
    assert.equal(node.sent().length, 0);
    const { payload } = await convert({ payload: EMPTY, energy: { kind: "telemetry", delivery: "d" } });
    assert.equal(payload, "");
  });

  it("makes points for a chart, and sends no empty array, which would clear it", async () => {
    await start({ target: "chart" });
    node.input({ payload: EMPTY });
    await node.completed();
    assert.equal(node.sent().length, 0);
    node.input({ payload: RECORD });
    const { payload } = await node.output<PointsMessage>();
    assert.deepEqual(payload, [{ series: "storage.stateOfCharge", x: Date.parse(END), y: 55 }]);
  });

  it("refuses to make more than 20,000 points of a message, but for a delivery, which would come again", async () => {
    await start({ target: "chart" });
    const fields = Array.from({ length: 30 }, (_none, index) => [`field${index}`, index]);
    const record = { ...RECORD, storage: Object.fromEntries(fields) };
    const message = { ...SOURCE, payload: Array.from({ length: 700 }, () => record) };
    node.input(message);
    assert.equal((await node.caught()).energy.error.code, "ENERGY_INPUT");
    node.input({ ...message, energy: { kind: "telemetry", delivery: "d" } });
    assert.equal((await node.output<PointsMessage>()).payload.length, 21_000);
  });

  it("does not change the incoming message", async () => {
    await start();
    const [message] = [{ ...SOURCE, payload: RECORD }];
    await convert(message);
    assert.deepEqual((await node.completed()).payload, RECORD);
  });

  it("says which output of latest value to connect when there is no current record", async () => {
    await start();
    node.input({ ...SOURCE, payload: null, energy: { kind: "latest-value", reason: "stale" } });
    assert.match((await node.caught()).error.message, /Connect output 1/);
  });

  for (const [name, message, properties, code] of [
    ["a message without a record", { payload: "text" }, {}, "ENERGY_INPUT"],
    ["a record without times", { payload: { storage: {} } }, {}, "ENERGY_INPUT"],
    ["an array without a record", { payload: [7, {}] }, {}, "ENERGY_INPUT"],
    [
      "a latest value without a record",
      { payload: null, energy: { kind: "latest-value" } },
      {},
      "ENERGY_INPUT",
    ],
    ["a record of no site", { payload: RECORD, siteId: "" }, {}, "ENERGY_INPUT"],
    ["an unknown target", { payload: RECORD }, { target: "csv" }, "ENERGY_CONFIG"],
    ["a variable that is not set", { payload: RECORD }, { measurement: "x${NOWHERE}" }, "ENERGY_CONFIG"],
  ] as const) {
    it(`rejects ${name} with ${code}, and sends nothing`, async () => {
      await start(properties);
      node.input({ ...SOURCE, ...message });
      const caught = await node.caught();
      assert.equal(caught.energy.error.code, code);
      assert.equal(caught.energy.kind, "points");
      assert.equal(node.sent().length, 0);
    });
  }
});
