// Tests for whose turn it is in the limiter, and for requests that need not wait.
import assert from "node:assert/strict";
import sinon from "sinon";
import { AbortedError } from "../../../src/errors";
import { type Caller, Claim, type Priority } from "../../../src/client/http/caller";
import { Limiter } from "../../../src/client/http/limiter";
import { signalled } from "../clients";

describe("turns of the limiter", () => {
  const never = new AbortController().signal;
  const caller = (id: string, priority: Priority): Caller => ({ id, priority });
  const claim = (id: string, priority: Priority): Claim => new Claim(caller(id, priority));

  it("starts a request synchronously that need not wait", async () => {
    const limiter = new Limiter(2, 0);
    const task = sinon.spy(() => Promise.resolve());
    const requirement = { isMet: () => true, meet: () => Promise.reject(new Error("needless")) };
    const listen = sinon.spy(never, "addEventListener");
    const runs = [limiter.run(task, never), limiter.run(task, never, { requirement })];
    assert.equal(task.callCount, 2);
    assert.equal(listen.callCount, 0);
    listen.restore();
    await Promise.all(runs);
  });

  describe("while all slots are in use", () => {
    let limiter: Limiter;
    let gate: ReturnType<typeof signalled>;
    let first: Promise<void>;
    let started: string[];
    let runs: Promise<unknown>[];

    function run(name: string, own: Claim, signal = never): void {
      runs.push(limiter.run(() => Promise.resolve(started.push(name)), signal, { claim: own }));
    }

    beforeEach(() => {
      limiter = new Limiter(1, 0);
      gate = signalled();
      [started, runs] = [[], []];
      first = limiter.run(() => gate.promise, never);
    });

    async function finish(): Promise<void> {
      gate.resolve();
      await Promise.all([first, ...runs]);
    }

    it("lets more urgent requests go first, and callers take turns", async () => {
      run("backlog", claim("a", "backlog"));
      run("a1", claim("a", "schedule"));
      run("a2", claim("a", "schedule"));
      run("b1", claim("b", "schedule"));
      run("user", claim("c", "user"));
      await finish();
      assert.deepEqual(started, ["user", "a1", "b1", "a2", "backlog"]);
    });

    it("lets a request go first once someone more urgent waits for it", async () => {
      const own = claim("a", "backlog");
      run("1", claim("a", "schedule"));
      run("2", own);
      own.raise(caller("b", "user"));
      own.raise(caller("c", "schedule"));
      await finish();
      assert.deepEqual(started, ["2", "1"]);
    });

    it("counts who waits, without those that were aborted", async () => {
      const abort = new AbortController();
      run("1", claim("a", "user"));
      run("2", claim("a", "user"), abort.signal);
      assert.deepEqual([limiter.state.inFlight, limiter.state.waiting], [1, 2]);
      abort.abort();
      assert.equal(limiter.state.waiting, 1);
      await assert.rejects(runs.pop() ?? assert.fail(), AbortedError);
      await finish();
      assert.deepEqual(started, ["1"]);
      assert.deepEqual([limiter.state.inFlight, limiter.state.waiting], [0, 0]);
    });
  });

  it("frees the slot of a request that is aborted while it waits for its requirement", async () => {
    const limiter = new Limiter(1, 0);
    const abort = new AbortController();
    const met = signalled();
    const requirement = { isMet: () => false, meet: () => met.promise };
    const aborted = limiter.run(() => Promise.resolve(), abort.signal, { requirement });
    const next = limiter.run(() => Promise.resolve("next"), never);
    abort.abort();
    met.resolve();
    await assert.rejects(aborted, AbortedError);
    assert.equal(await next, "next");
  });

  it("fails a request whose requirement cannot be met, and goes on with the next", async () => {
    const limiter = new Limiter(1, 0);
    const requirement = { isMet: () => false, meet: () => Promise.reject(new Error("no token")) };
    const failing = limiter.run(() => Promise.resolve(), never, { requirement });
    const next = limiter.run(() => Promise.resolve("next"), never);
    await assert.rejects(failing, /no token/);
    assert.equal(await next, "next");
    assert.equal(limiter.state.waiting, 0);
  });
});
