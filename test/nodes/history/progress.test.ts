// Tests for the progress of history on output 2 and in the status, at a readable pace.
import assert from "node:assert/strict";
import type { Node } from "node-red";
import helper from "node-red-node-test-helper";
import { NODE } from "../../support/diagnostics";
import { THREE_DAYS, HistoryReading, NOW } from "../../support/history-reading";

describe("history: progress", () => {
  let history: HistoryReading;

  beforeEach(async () => {
    history = await HistoryReading.open();
  });
  afterEach(() => history.close());

  it("sends only progress for a range without records", async () => {
    history.service.hideRecords(() => true);
    await history.start();
    assert.deepEqual(await history.read(THREE_DAYS), []);
    const last = history.progress().at(-1);
    assert.deepEqual([last?.records, last?.finished], [0, true]);
  });

  it("reports its progress and completion", async () => {
    await history.start();
    await history.read(THREE_DAYS);
    assert.deepEqual(history.progress()[0], {
      done: 0,
      total: 3,
      records: 0,
      percent: 0,
      finished: false,
      cancelled: false,
    });
    assert.deepEqual(history.progress().at(-1), {
      done: 3,
      total: 3,
      records: 864,
      percent: 100,
      finished: true,
      cancelled: false,
    });
  });

  it("reports it at most once a second, with the time left in the status", async () => {
    await history.start();
    const hold = history.service.hold(/telemetry/);
    history.node.input({ payload: THREE_DAYS });
    await hold.arrived(3);
    history.clock.setSystemTime(NOW + 2000);
    hold.release();
    await history.node.completed();
    assert.deepEqual(
      history.progress().map(({ done }) => done),
      [0, 1, 3],
    );
    assert.ok(
      history.node.statuses().includes("33 % · 288 records · 4 s left"),
      history.node.statuses().join(),
    );
    assert.equal(history.node.statuses().filter((text) => text.endsWith("left")).length, 1);
  });

  it("sends it as soon as output 2 is wired, and shows it in any case", async () => {
    await history.start();
    const node = helper.getNode(NODE) as Node & { wires: string[][]; updateWires(wires: string[][]): void };
    const { wires } = node;
    node.updateWires([wires[0] ?? [], []]);
    const hold = history.service.hold(/telemetry/);
    history.node.input({ payload: THREE_DAYS });
    await hold.arrived(3);
    assert.deepEqual(history.progress(), []);
    node.updateWires(wires);
    history.clock.setSystemTime(NOW + 2000);
    hold.release();
    await history.node.completed();
    assert.deepEqual(
      history.progress().map(({ done, finished }) => [done, finished]),
      [
        [1, false],
        [3, true],
      ],
    );
    assert.ok(history.node.statuses().some((text) => text.endsWith("left")));
  });
});
