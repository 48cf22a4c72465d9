// Tests for the due timer: it fires on time, looks at the clock every few seconds, and can be stopped.
import assert from "node:assert/strict";
import sinon from "sinon";
import { DueTimer } from "../../../../../nodes/shared/runtime/lifecycle/schedule";
import { sharedClock, systemClock } from "../../../../../src/clock";

describe("due timer", () => {
  const NOW = 1_000_000;
  let clock: sinon.SinonFakeTimers;
  let calls: number[];
  let timer: DueTimer;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: NOW });
    calls = [];
    timer = new DueTimer(() => calls.push(Date.now() - NOW));
  });
  afterEach(() => clock.restore());

  it("fires once it is due, immediately if overdue", () => {
    timer.set(NOW + 500);
    clock.tick(499);
    assert.deepEqual(calls, []);
    clock.tick(1);
    timer.set(NOW - 5);
    clock.tick(0);
    assert.deepEqual(calls, [500, 500]);
  });

  it("fires within seconds of its time by a clock that was set by a little", () => {
    const own = new DueTimer(() => calls.push(Date.now() - NOW), systemClock);
    own.set(NOW + 60_000);
    clock.tick(1000);
    clock.setSystemTime(Date.now() + 50_000);
    clock.tick(10_000);
    assert.deepEqual(calls, [60_000]);
    own.close();
  });

  it("fires no later because its clock was set back by a little", () => {
    const own = new DueTimer(() => calls.push(performance.now()), systemClock);
    own.set(NOW + 60_000);
    const due = performance.now() + 60_000;
    clock.setSystemTime(Date.now() - 50_000);
    clock.tick(60_000);
    assert.deepEqual(calls, [due]);
    own.close();
  });

  it("fires within seconds of a sleep, and of a clock that was set, once each", () => {
    timer.set(NOW + 3_600_000);
    for (const step of [9 * 3_600_000, -2 * 3_600_000]) {
      const before = calls.length;
      clock.setSystemTime(Date.now() + step);
      clock.tick(5000);
      assert.equal(calls.length - before, 1);
      timer.set(Date.now() + 3_600_000);
    }
    timer.set(undefined);
    assert.equal(clock.countTimers(), 0);
  });

  it("fires within seconds after its own clock was set, although a service corrects the time meanwhile", () => {
    const source = sharedClock.open();
    const respond = (by: number): void => source.observe([Date.now() + by], sharedClock.monotonic());
    respond(0);
    const own = new DueTimer(() => calls.push(Date.now() - NOW), systemClock);
    own.set(NOW + 3_600_000);
    clock.tick(1000);
    clock.setSystemTime(Date.now() - 2 * 3_600_000);
    for (let count = 0; count < 2; count += 1) respond(2 * 3_600_000);
    clock.tick(5000);
    assert.equal(calls.length, 1);
    own.close();
    source.close();
  });

  it("waits for the time to change, if what waits is due then", () => {
    timer.set(Number.POSITIVE_INFINITY);
    clock.tick(3_600_000);
    assert.deepEqual(calls, []);
    clock.setSystemTime(Date.now() + 9 * 3_600_000);
    clock.tick(5000);
    assert.equal(calls.length, 1);
  });

  it("follows its own clock, which may be ahead of the local one", () => {
    const ahead = { now: () => Date.now() + 3_600_000, monotonic: () => performance.now(), isSure: true };
    const own = new DueTimer(() => calls.push(Date.now() - NOW), ahead);
    own.set(NOW + 3_600_000 + 500);
    clock.tick(499);
    assert.deepEqual(calls, []);
    clock.tick(1);
    assert.deepEqual(calls, [500]);
    own.close();
  });

  it("replaces its earlier due time, and stops for good", () => {
    timer.set(NOW + 10);
    timer.set(NOW + 20);
    clock.tick(15);
    timer.set(undefined);
    clock.tick(100_000);
    assert.deepEqual(calls, []);
    assert.equal(clock.countTimers(), 0);
  });

  it("stays closed, although work that is still going on sets it", () => {
    timer.set(NOW + 10);
    timer.close();
    timer.set(NOW + 20);
    assert.equal(clock.countTimers(), 0);
    clock.tick(100_000);
    assert.deepEqual(calls, []);
  });
});
