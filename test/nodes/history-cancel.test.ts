// Promises of history when it is to stop: it does so at once, says so, and sends nothing more.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { DAYS3, HistoryReading } from "../support/history-reading";

describe("history: cancel and close", () => {
  let history: HistoryReading;

  beforeEach(async () => {
    history = await HistoryReading.open();
  });
  afterEach(() => history.close());

  it("stops when told to, at once and without an error", async () => {
    await history.start();
    const hold = history.service.hold(/telemetry/);
    history.node.input({ payload: DAYS3 });
    await hold.arrived(3);
    history.node.input({ cancel: true });
    await history.node.completed();
    await history.node.completed();
    hold.release();
    assert.equal(history.node.sent(1).length, 0);
    assert.deepEqual(history.progress().at(-1)?.cancelled, true);
    assert.equal(history.progress().at(-1)?.finished, false);
    assert.deepEqual(history.node.caughtSoFar(), []);
  });

  it("cancels what waits as well, and says so for each run", async () => {
    await history.start();
    const hold = history.service.hold(/telemetry/);
    history.node.input({ payload: DAYS3 });
    history.node.input({ payload: DAYS3 });
    await hold.arrived(3);
    history.node.input({ cancel: true });
    for (let count = 0; count < 3; count += 1) await history.node.completed();
    hold.release();
    assert.equal(history.progress().filter(({ cancelled }) => cancelled).length, 2);
    assert.equal(history.service.requestsTo(/telemetry/).length, 3);
  });

  it("does not wait for the site list when told to stop", async () => {
    await history.start();
    const hold = history.service.hold(/sites$/);
    history.node.input({ payload: DAYS3 });
    await hold.arrived();
    history.node.input({ cancel: true });
    await history.node.completed();
    await history.node.completed();
    hold.release();
    assert.equal(history.progress().at(-1)?.cancelled, true);
    assert.equal(history.node.statuses().at(-1), "cancelled");
  });

  it("is done with a cancel that finds nothing to stop, and runs the message after it", async () => {
    await history.start();
    history.node.input({ cancel: true });
    await history.node.completed();
    assert.equal(history.node.sent(2).length, 0);
    assert.equal((await history.read({ day: "2026-11-01" })).length, 288);
  });

  it("sends nothing more once it is closed", async () => {
    await history.start();
    const hold = history.service.hold(/telemetry/);
    history.node.input({ payload: DAYS3 });
    await hold.arrived(3);
    const closedAt = performance.now();
    await history.node.redeploy();
    assert.ok(performance.now() - closedAt < 1000, "the close waited for the service");
    hold.release();
    await setTimeout(50);
    assert.equal(history.node.sent(1).length, 0);
    assert.equal(history.progress().length, 1);
    assert.deepEqual(history.node.caughtSoFar(), []);
  });
});
