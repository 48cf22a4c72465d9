// Tests for the limits on parallel requests and on requests per minute; cancelled requests make room immediately.
import assert from "node:assert/strict";
import sinon from "sinon";
import { sleep } from "../../../src/abort";
import { AbortedError, RateLimitError } from "../../../src/errors";
import { Admission } from "../../../src/client/http/admission";
import { signalled, turnAt } from "../clients";

describe("admission", () => {
  const never = new AbortController().signal;
  let clock: sinon.SinonFakeTimers;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  });
  afterEach(() => clock.restore());

  it("runs tasks in order, no more in parallel than allowed", async () => {
    const admission = new Admission(2, 0);
    const gates = [0, 1, 2, 3].map(() => signalled());
    const started: number[] = [];
    const runs = gates.map((gate, index) =>
      admission.run(() => {
        started.push(index);
        return gate.promise;
      }, never),
    );
    await clock.tickAsync(0);
    assert.deepEqual(started, [0, 1]);
    gates[1]?.resolve();
    await runs[1];
    await clock.tickAsync(0);
    assert.deepEqual(started, [0, 1, 2]);
    for (const gate of gates) gate.resolve();
    await Promise.all(runs);
    assert.deepEqual(started, [0, 1, 2, 3]);
  });

  it("starts tasks in order, no more than allowed in any 60 s", async () => {
    const admission = new Admission(4, 3);
    const starts: [number, number][] = [];
    const start = performance.now();
    const runs = Array.from({ length: 10 }, (_, index) =>
      admission.run(() => {
        starts.push([index, Math.round(performance.now() - start)]);
        return Promise.resolve();
      }, never),
    );
    await clock.tickAsync(200_000);
    await Promise.all(runs);
    assert.deepEqual(
      starts.map(([index]) => index),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    for (const [index, [, time]] of starts.entries()) assert.ok(time >= Math.floor(index / 3) * 60_000);
    assert.ok((starts.at(-1)?.[1] ?? 0) < 181_000);
  });

  it("respects the rate limit when requests arrive one by one", async () => {
    const admission = new Admission(4, 1);
    const task = sinon.spy(() => Promise.resolve());
    await admission.run(task, never);
    await clock.tickAsync(59_000);
    const second = admission.run(task, never);
    await clock.tickAsync(990);
    assert.equal(task.callCount, 1);
    await clock.tickAsync(20);
    await second;
    assert.equal(task.callCount, 2);
  });

  for (const [limit, minutes] of [
    [0.5, 2],
    [1.5, 1],
    [0.000_001, 24 * 60],
  ] as const)
    it(`starts no more than one task in ${minutes} min with a rate limit of ${limit}`, async () => {
      const admission = new Admission(4, limit);
      const task = sinon.spy(() => Promise.resolve());
      const runs = [admission.run(task, never), admission.run(task, never)];
      await clock.tickAsync(minutes * 60_000 - 10);
      assert.equal(task.callCount, 1);
      await clock.tickAsync(20);
      await Promise.all(runs);
      assert.equal(task.callCount, 2);
    });

  it("passes on the error of a task, and continues", async () => {
    const admission = new Admission(1, 0);
    await assert.rejects(
      admission.run(() => Promise.reject(new Error("task")), never),
      /task/,
    );
    assert.equal(await admission.run(() => Promise.resolve(7), never), 7);
  });

  it("removes a cancelled task from the queue immediately, without running it", async () => {
    const admission = new Admission(1, 0);
    const gate = signalled();
    const first = admission.run(() => gate.promise, never);
    const abort = new AbortController();
    const task = sinon.spy(() => Promise.resolve());
    const second = assert.rejects(admission.run(task, abort.signal), AbortedError);
    abort.abort();
    await second;
    gate.resolve();
    await first;
    await admission.run(() => Promise.resolve(), never);
    assert.equal(task.callCount, 0);
  });

  it("leaves no timer when a task that waits for the rate limit is cancelled", async () => {
    const admission = new Admission(1, 1);
    await admission.run(() => Promise.resolve(), never);
    const abort = new AbortController();
    const waiting = assert.rejects(
      admission.run(() => Promise.resolve(), abort.signal),
      AbortedError,
    );
    await clock.tickAsync(10);
    assert.equal(clock.countTimers(), 1);
    abort.abort();
    await waiting;
    await clock.tickAsync(0);
    assert.equal(clock.countTimers(), 0);
  });

  it("rejects tasks immediately during a long hold, even while all slots are in use", async () => {
    const admission = new Admission(1, 0);
    const gate = signalled();
    const first = admission.run(() => gate.promise, never);
    await clock.tickAsync(0);
    admission.gate.observe({ status: 429, retryAfter: 90 }, turnAt(0));
    await assert.rejects(
      admission.run(() => Promise.resolve(), never),
      RateLimitError,
    );
    gate.resolve();
    await first;
  });

  it("respects the hold that ends last", async () => {
    const admission = new Admission(1, 0);
    admission.gate.observe({ status: 429, retryAfter: 20 }, turnAt(0));
    admission.gate.observe({ status: 429, retryAfter: 5 }, turnAt(0));
    const task = sinon.spy(() => Promise.resolve());
    const run = admission.run(task, never);
    await clock.tickAsync(19_990);
    assert.equal(task.callCount, 0);
    await clock.tickAsync(20);
    await run;
    assert.equal(task.callCount, 1);
  });

  describe("with a requirement", () => {
    it("starts a task only once it is met, and lets an urgent task meet it without a slot of its own", async () => {
      const admission = new Admission(1, 0);
      let isMet = false;
      const meet = (): Promise<void> =>
        admission.run(() => Promise.resolve(void (isMet = true)), never, { isUrgent: true });
      const run = admission.run(() => Promise.resolve(isMet), never, {
        requirement: { isMet: () => isMet, meet },
      });
      await clock.tickAsync(0);
      assert.equal(await run, true);
    });

    it("lets an urgent task have the next slot, and never one too many", async () => {
      const admission = new Admission(1, 0);
      const order: string[] = [];
      const task = (name: string, isUrgent: boolean): Promise<void> =>
        admission.run(
          async () => {
            assert.equal(admission.state.inFlight, 1);
            await sleep(100, never);
            order.push(name);
          },
          never,
          { isUrgent },
        );
      const all = Promise.all([task("first", false), task("second", false), task("urgent", true)]);
      await clock.tickAsync(300);
      await all;
      assert.deepEqual(order, ["first", "urgent", "second"]);
    });

    it("meets it again if it is lost during a pause", async () => {
      const admission = new Admission(1, 0);
      let token = "old";
      const urgent = (): Promise<void> =>
        admission.run(() => Promise.resolve(void (token = "new")), never, { isUrgent: true });
      admission.gate.observe({ status: 429, retryAfter: 60 }, turnAt(0));
      const requirement = { isMet: () => token !== "", meet: urgent };
      const run = admission.run(() => Promise.resolve(token), never, { requirement });
      await clock.tickAsync(30_000);
      token = "";
      await clock.tickAsync(30_000);
      assert.equal(await run, "new");
    });

    it("counts the urgent task toward the rate limit", async () => {
      const admission = new Admission(1, 1);
      await admission.run(() => Promise.resolve(), never);
      const task = sinon.spy(() => Promise.resolve());
      const run = admission.run(task, never, { isUrgent: true });
      await clock.tickAsync(59_990);
      assert.equal(task.callCount, 0);
      await clock.tickAsync(20);
      await run;
    });
  });
});
