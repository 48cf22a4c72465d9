// Promises of threshold where no message comes: silence is told, a hold ends in time, no timer outlives the node.
import assert from "node:assert/strict";
import type { ThresholdMessage } from "../../src/messages";
import { MINUTE } from "../../src/records/window";
import { HIGH, startThreshold, type ThresholdNode, UNSAFE } from "../support/threshold-node";

/** Minutes that last so many milliseconds of the test. */
const milliseconds = (count: number): number => count / MINUTE;

describe("threshold by time alone", () => {
  let node: ThresholdNode;

  afterEach(() => node.stop());

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    node = await startThreshold(properties);
  };

  it("says on output 3 that data has stopped, and about what", async () => {
    await start({ maxAge: milliseconds(60) });
    await node.take({ payload: 70, topic: "a/b", siteId: "a", systemId: "b", other: 1 });
    const { _msgid, ...told } = await node.output<ThresholdMessage & { _msgid: string }>(UNSAFE);
    assert.deepEqual(told, {
      payload: null,
      topic: "a/b",
      siteId: "a",
      systemId: "b",
      energy: { kind: "threshold", reason: "stale", value: null },
    });
    assert.deepEqual(node.counts(), [1, 0, 1]);
  });

  it("sends the edge of a value that stays, with the message that brought it last", async () => {
    await start({ hold: milliseconds(60) });
    await node.take({ payload: 70, other: 1 }, { payload: 71, other: 2 });
    assert.deepEqual(node.counts(), [0, 0, 0]);
    const told = await node.output<ThresholdMessage & { other: number }>(HIGH);
    assert.deepEqual([told.payload, told.other, told.energy.value], [71, 2, 71]);
  });

  it("sends no edge of a value that comes back in time", async () => {
    await start({ hold: milliseconds(40) });
    await node.take({ payload: 70 }, { payload: 40 });
    await new Promise((resolve) => setTimeout(resolve, 80));
    assert.deepEqual(node.counts(), [0, 0, 0]);
  });

  it("leaves no timer behind when it is closed", async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    await start();
    const before = timers();
    await node.take({ payload: 40 });
    assert.equal(timers(), before + 1);
    await node.redeploy({ name: "renamed" });
    await node.take({ payload: 40 });
    assert.equal(timers(), before + 1);
    await node.redeploy({ property: "other" });
    assert.equal(timers(), before);
  });

  it("says after a restart that data has stopped meanwhile", async () => {
    await start({ maxAge: milliseconds(60) });
    await node.take({ payload: 40 });
    await node.redeploy();
    assert.equal((await node.output<ThresholdMessage>(UNSAFE)).energy.reason, "stale");
  });
});
