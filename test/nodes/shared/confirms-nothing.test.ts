// Tests for the nodes between a poll and what takes its records: a complete node on them confirms nothing.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import { type NodeUnderTest, startNode } from "../../support/flow";

const RECORD = {
  startTime: "2026-06-10T10:00:00Z",
  endTime: "2026-06-10T10:05:00Z",
  storage: { stateOfCharge: 95 },
};
const ENERGY = { kind: "telemetry", phase: "live", recordId: "a//telemetry/1", endTime: RECORD.endTime };
const NODES: [string, Record<string, unknown>][] = [
  ["energy-mqtt", { discovery: false }],
  ["energy-points", { target: "influxdb" }],
  ["energy-threshold", { property: "payload.storage.stateOfCharge", high: 90, low: 80, maxAge: 0 }],
];

describe("a record that has to be confirmed", () => {
  let node: NodeUnderTest;

  afterEach(() => node.stop());

  for (const [type, properties] of NODES) {
    for (const phase of ["live", "late"])
      it(`is completed without its id by ${type} (${phase})`, async () => {
        node = await startNode(type, properties, { account: null });
        const energy = { ...ENERGY, phase, delivery: "d-1" };
        node.input({ payload: RECORD, siteId: "a", energy });
        const completed: NodeMessage & { energy?: unknown } = await node.completed();
        assert.deepEqual(completed.energy, { ...ENERGY, phase });
        assert.equal(energy.delivery, "d-1");
      });
  }
});
