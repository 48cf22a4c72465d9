// Tests for how an account yields to a service that refuses requests: pauses, the probe after them, and a slower pace.
import assert from "node:assert/strict";
import sinon from "sinon";
import { AbortedError, RateLimitError } from "../../../src/errors";
import { Admission } from "../../../src/client/http/admission";
import { waitFor } from "../../../src/abort";
import { signalled, turnAt } from "../clients";

describe("throttling", () => {
  const never = new AbortController().signal;
  let clock: sinon.SinonFakeTimers;

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  });
  afterEach(() => clock.restore());

  describe("after a pause", () => {
    let admission: Admission;
    let gates: ReturnType<typeof signalled>[];
    let runs: Promise<void>[];
    let started: number[];

    /** Five requests, each of which responds when its gate opens. */
    function requests(signals: AbortSignal[] = []): void {
      gates = [0, 1, 2, 3, 4].map(() => signalled());
      started = [];
      runs = gates.map(({ promise }, index) => {
        const signal = signals[index] ?? never;
        return admission.run(() => {
          started.push(index);
          return waitFor(promise, signal);
        }, signal);
      });
    }
    async function openAll(): Promise<void> {
      for (const gate of gates) gate.resolve();
      await clock.tickAsync(0);
    }

    beforeEach(() => {
      admission = new Admission(4, 0);
      admission.gate.observe({ status: 429, retryAfter: 60 }, turnAt(0));
    });

    it("tries one request while the others wait, and then all", async () => {
      requests();
      await clock.tickAsync(60_000);
      assert.deepEqual(started, [0]);
      admission.gate.observe({ status: 200 }, turnAt(performance.now()));
      gates[0]?.resolve();
      await clock.tickAsync(0);
      assert.deepEqual(started, [0, 1, 2, 3, 4]);
      await openAll();
      await Promise.all(runs);
    });

    it("begins another one if the request is refused", async () => {
      requests();
      await clock.tickAsync(60_000);
      admission.gate.observe({ status: 429, retryAfter: 30 }, turnAt(performance.now()));
      gates[0]?.resolve();
      await clock.tickAsync(29_999);
      assert.deepEqual(started, [0]);
      await clock.tickAsync(1);
      assert.deepEqual(started, [0, 1]);
      await openAll();
      await Promise.all(runs);
    });

    it("begins the same one again if the request is refused without Retry-After", async () => {
      requests();
      await clock.tickAsync(60_000);
      admission.gate.observe({ status: 429 }, turnAt(performance.now()));
      gates[0]?.resolve();
      await clock.tickAsync(59_999);
      assert.deepEqual(started, [0]);
      await clock.tickAsync(1);
      assert.deepEqual(started, [0, 1]);
      await openAll();
      await Promise.all(runs);
    });

    it("tries the next request if the first one is cancelled", async () => {
      const abort = new AbortController();
      requests([abort.signal]);
      const cancelled = assert.rejects(runs.shift() ?? assert.fail(), AbortedError);
      await clock.tickAsync(60_000);
      abort.abort();
      await cancelled;
      gates[0]?.resolve();
      await clock.tickAsync(0);
      assert.deepEqual(started, [0, 1]);
      await openAll();
      await Promise.all(runs);
    });

    it("rejects the others if the request meets a long pause", async () => {
      requests();
      const refused = runs.slice(1).map((run) => assert.rejects(run, RateLimitError));
      await clock.tickAsync(60_000);
      admission.gate.observe({ status: 429, retryAfter: 90 }, turnAt(performance.now()));
      gates[0]?.resolve();
      await clock.tickAsync(0);
      await Promise.all(refused);
      assert.deepEqual(started, [0]);
    });
  });

  describe("after 429 without Retry-After", () => {
    async function spacing(admission: Admission): Promise<number> {
      await admission.run(() => Promise.resolve(), never);
      const start = performance.now();
      const run = admission.run(() => Promise.resolve(performance.now() - start), never);
      await clock.tickAsync(40_000);
      return Math.round(await run);
    }

    it("doubles the time between requests, from half a second to half a minute", async () => {
      const admission = new Admission(4, 0);
      const seen: number[] = [];
      for (let refusals = 0; refusals < 8; refusals += 1) {
        admission.gate.observe({ status: 429 }, turnAt(performance.now()));
        seen.push(await spacing(admission));
        await clock.tickAsync(40_000);
      }
      assert.deepEqual(seen, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    });

    it("slows down once for requests that were in flight together", async () => {
      const admission = new Admission(4, 0);
      const startedAt = performance.now();
      await clock.tickAsync(10);
      for (let refusals = 0; refusals < 4; refusals += 1)
        admission.gate.observe({ status: 429 }, turnAt(startedAt));
      assert.equal(await spacing(admission), 500);
    });

    it("recovers with each success, until requests need not wait", async () => {
      const admission = new Admission(4, 0);
      admission.gate.observe({ status: 429 }, turnAt(performance.now()));
      admission.gate.observe({ status: 200 }, turnAt(performance.now()));
      assert.equal(await spacing(admission), 450);
      await clock.tickAsync(40_000);
      for (let successes = 0; successes < 20; successes += 1)
        admission.gate.observe({ status: 200 }, turnAt(performance.now()));
      assert.equal(await spacing(admission), 0);
    });

    it("keeps to the rate limit, too", async () => {
      const admission = new Admission(4, 1);
      admission.gate.observe({ status: 429 }, turnAt(performance.now()));
      await admission.run(() => Promise.resolve(), never);
      const task = sinon.spy(() => Promise.resolve());
      const run = admission.run(task, never);
      await clock.tickAsync(59_990);
      assert.equal(task.callCount, 0);
      await clock.tickAsync(20);
      await run;
    });
  });
});
