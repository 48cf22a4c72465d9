// Tests for a threshold that gets a record where it expects a number: it says so, and judges the record once a value is chosen.
import assert from "node:assert/strict";
import helper from "node-red-node-test-helper";
import { JQUERY } from "../../support/runtime";
import { eventually } from "../../support/eventually";
import { HIGH, SOC, socRecord, startThreshold, type ThresholdNode } from "../../support/threshold-node";

describe("threshold with the payload of a record", () => {
  let node: ThresholdNode;

  afterEach(() => node.stop());

  const high = (): Promise<number> =>
    eventually(
      () => "no edge",
      async () => node.counts()[HIGH - 1] || undefined,
    );

  it("says that the payload is a record, of which a value is to be chosen", async () => {
    node = await startThreshold();
    await node.process(socRecord(70));
    assert.equal(node.statuses().at(-1), "a record: choose a value");
    assert.deepEqual(node.counts(), [0, 0, 0]);
  });

  it("judges the last record of each system again after a deploy that chooses a value", async () => {
    node = await startThreshold();
    await node.process(socRecord(70), { ...socRecord(65), siteId: "demo-farm", topic: "demo-farm" });
    await node.redeploy(SOC);
    await eventually(
      () => "not two edges",
      async () => node.counts()[HIGH - 1] === 2 || undefined,
    );
  });

  it("judges a record again as it came, whatever other nodes make of its message", async () => {
    node = await startThreshold();
    const message = socRecord(70);
    await node.process(message);
    Object.assign(Object(message["payload"]).storage, { stateOfCharge: 5 });
    await node.redeploy(SOC);
    assert.equal(await high(), 1);
  });

  it("judges the newest record again, whatever older one came after it", async () => {
    node = await startThreshold();
    await node.process(socRecord(70), socRecord(10, "live", 7));
    const before = node.statuses().length;
    await node.redeploy();
    await eventually(
      () => "not judged again",
      async () => node.statuses().slice(before).includes("a record: choose a value") || undefined,
    );
    await node.redeploy(SOC);
    assert.equal(await high(), 1);
    assert.deepEqual(node.counts(), [1, 0, 0]);
  });

  it("judges nothing again after a deploy that changes nothing", async () => {
    node = await startThreshold(SOC);
    await node.process(socRecord(70));
    assert.equal(await high(), 1);
    await node.redeploy();
    await node.process({ ...socRecord(70), siteId: "demo-farm", topic: "demo-farm" });
    assert.equal(node.counts()[HIGH - 1], 2);
  });

  it("answers the dialog with the last value of each subject, and with nothing for an unknown node", async () => {
    node = await startThreshold(SOC);
    await node.process(socRecord(90.2));
    const values = async (id: string): Promise<unknown> => {
      const { body } = await helper.request().get(`/energy-sites/thresholds/${id}/values`).set(JQUERY);
      return body;
    };
    assert.deepEqual(await values("node-under-test"), [{ subject: "demo-house", value: 90.2 }]);
    assert.deepEqual(await values("unknown"), []);
  });
});
