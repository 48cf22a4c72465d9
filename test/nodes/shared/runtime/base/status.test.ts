// Tests for the statuses of a node: at most five a second, errors at once, and the last one in any case.
import assert from "node:assert/strict";
import sinon from "sinon";
import { errorStatus, StatusDisplay, type StatusText } from "../../../../../nodes/shared/runtime/base/status";
import { InputError } from "../../../../../src/errors";
import { startThreshold, type ThresholdNode } from "../../../../support/threshold-node";

const TIMERS = ["Date", "performance", "setTimeout", "clearTimeout"] as const;

describe("the status of a node", () => {
  let clock: sinon.SinonFakeTimers;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: [...TIMERS] });
  });
  afterEach(() => clock.restore());

  describe("as it is displayed", () => {
    let shown: StatusText[];
    let display: StatusDisplay;

    beforeEach(() => {
      shown = [];
      display = new StatusDisplay((status) => shown.push(status));
    });

    const records = (count: number): StatusText => ({ key: "records", values: { time: "10:05", count } });
    const counts = (): unknown[] => shown.map(({ key, values }) => values?.["count"] ?? key);
    const showMany = (from: number, to: number): void => {
      for (let count = from; count <= to; count += 1) display.show(records(count));
    };

    it("changes at once five times a second", () => {
      showMany(1, 5);
      assert.deepEqual(counts(), [1, 2, 3, 4, 5]);
      clock.tick(1000);
      showMany(6, 10);
      assert.deepEqual(counts(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });

    it("changes no more than five times in any second, however fast the node is", () => {
      const times: number[] = [];
      display = new StatusDisplay(() => times.push(performance.now()));
      for (let time = 0; time < 10_000; time += 7) {
        display.show(records(time));
        clock.tick(7);
      }
      assert.ok(times.length >= 45);
      for (const [index, time] of times.entries())
        assert.ok((times[index + 5] ?? Number.POSITIVE_INFINITY) - time >= 1000);
    });

    it("shows the last one of many, within a second", () => {
      showMany(1, 100);
      assert.deepEqual(counts(), [1, 2, 3, 4, 5]);
      clock.tick(1000);
      assert.deepEqual(counts(), [1, 2, 3, 4, 5, 100]);
      clock.tick(10_000);
      assert.equal(shown.length, 6);
    });

    it("shows an error at once, and nothing older after it", () => {
      showMany(1, 9);
      display.show(errorStatus(new InputError("siteMissing")));
      assert.deepEqual(counts(), [1, 2, 3, 4, 5, "error.ENERGY_INPUT"]);
      clock.tick(10_000);
      assert.equal(shown.length, 6);
      showMany(10, 10);
      assert.equal(counts().at(-1), 10);
    });

    it("leaves no timer behind when the node closes, and shows nothing afterwards", () => {
      showMany(1, 9);
      assert.equal(clock.countTimers(), 1);
      display.close();
      assert.equal(clock.countTimers(), 0);
      showMany(10, 20);
      display.show(errorStatus(new InputError("siteMissing")));
      assert.deepEqual([shown.length, clock.countTimers()], [5, 0]);
    });
  });

  describe("that gets many messages", () => {
    let node: ThresholdNode;

    afterEach(() => node.stop());

    it("is that of the last one in the end", async () => {
      node = await startThreshold();
      await clock.tickAsync(10_000);
      const before = node.statuses().length;
      await node.process(...[70, 10, 70, 10, 70, 10, 70, 10].map((payload) => ({ payload })));
      assert.equal(node.statuses().length - before, 5);
      assert.equal(node.statuses().at(-1), "high, waiting for 20");
      await clock.tickAsync(1000);
      assert.equal(node.statuses().length - before, 6);
      assert.equal(node.statuses().at(-1), "low, waiting for 60");
    });
  });
});
