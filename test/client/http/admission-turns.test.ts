// Tests for whose turn it is in the admission, and for requests that need not wait.
import assert from "node:assert/strict";
import sinon from "sinon";
import { AbortedError } from "../../../src/errors";
import type { Caller, Priority } from "../../../src/client/http/fair-queue";
import { Admission } from "../../../src/client/http/admission";
import { signalled } from "../clients";

describe("turns of admission", () => {
  const never = new AbortController().signal;
  const caller = (id: string, priority: Priority): Caller => ({ id, priority });

  it("starts a request synchronously that need not wait", async () => {
    const admission = new Admission(2, 0);
    const task = sinon.spy(() => Promise.resolve());
    const requirement = { isMet: () => true, meet: () => Promise.reject(new Error("needless")) };
    const listen = sinon.spy(never, "addEventListener");
    const runs = [admission.run(task, never), admission.run(task, never, { requirement })];
    assert.equal(task.callCount, 2);
    assert.equal(listen.callCount, 0);
    listen.restore();
    await Promise.all(runs);
  });

  describe("while all slots are in use", () => {
    let admission: Admission;
    let gate: ReturnType<typeof signalled>;
    let first: Promise<void>;
    let started: string[];
    let runs: Promise<unknown>[];

    function run(name: string, own: Caller, signal = never): void {
      runs.push(admission.run(() => Promise.resolve(started.push(name)), signal, { caller: own }));
    }

    beforeEach(() => {
      admission = new Admission(1, 0);
      gate = signalled();
      [started, runs] = [[], []];
      first = admission.run(() => gate.promise, never);
    });

    async function finish(): Promise<void> {
      gate.resolve();
      await Promise.all([first, ...runs]);
    }

    it("lets more urgent requests go first, and callers take turns", async () => {
      run("backlog", caller("a", "backlog"));
      run("a1", caller("a", "schedule"));
      run("a2", caller("a", "schedule"));
      run("b1", caller("b", "schedule"));
      run("user", caller("c", "user"));
      await finish();
      assert.deepEqual(started, ["user", "a1", "b1", "a2", "backlog"]);
    });

    it("counts who waits, without those that were aborted", async () => {
      const abort = new AbortController();
      run("1", caller("a", "user"));
      run("2", caller("a", "user"), abort.signal);
      assert.deepEqual([admission.state.inFlight, admission.state.waiting], [1, 2]);
      abort.abort();
      assert.equal(admission.state.waiting, 1);
      await assert.rejects(runs.pop() ?? assert.fail(), AbortedError);
      await finish();
      assert.deepEqual(started, ["1"]);
      assert.deepEqual([admission.state.inFlight, admission.state.waiting], [0, 0]);
    });
  });

  it("frees the slot of a request that is aborted while it waits for its requirement", async () => {
    const admission = new Admission(1, 0);
    const abort = new AbortController();
    const met = signalled();
    const requirement = { isMet: () => false, meet: () => met.promise };
    const aborted = admission.run(() => Promise.resolve(), abort.signal, { requirement });
    const next = admission.run(() => Promise.resolve("next"), never);
    abort.abort();
    met.resolve();
    await assert.rejects(aborted, AbortedError);
    assert.equal(await next, "next");
  });

  it("fails a request whose requirement cannot be met, and goes on with the next", async () => {
    const admission = new Admission(1, 0);
    const requirement = { isMet: () => false, meet: () => Promise.reject(new Error("no token")) };
    const failing = admission.run(() => Promise.resolve(), never, { requirement });
    const next = admission.run(() => Promise.resolve("next"), never);
    await assert.rejects(failing, /no token/);
    assert.equal(await next, "next");
    assert.equal(admission.state.waiting, 0);
  });
});
