// Tests for waiting: it ends with the first signal, the time limit or the work, and always cleans up.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import sinon from "sinon";
import { onAbort, sleep, waitFor, withSignal } from "../src/abort";
import { AbortedError, TimeoutError } from "../src/errors";

describe("waiting", () => {
  let clock: sinon.SinonFakeTimers;
  let aborting: AbortController[];
  let first: AbortSignal;
  let second: AbortSignal;
  const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;
  const never = new Promise<never>(() => undefined);
  const timeout = { ms: 1000, error: () => new TimeoutError("timedOut", { route: "here", seconds: 1 }) };

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    aborting = [new AbortController(), new AbortController()];
    [first, second] = aborting.map(({ signal }) => signal) as [AbortSignal, AbortSignal];
  });
  afterEach(() => {
    clock.restore();
    assert.deepEqual([listeners(first), listeners(second), clock.countTimers()], [0, 0, 0]);
  });

  it("calls what is to happen on an abort once, immediately if it has already happened, and not after cancellation", () => {
    const [early, cancelled, late] = [sinon.spy(), sinon.spy(), sinon.spy()];
    onAbort(first, early);
    onAbort(first, cancelled)();
    aborting[0]?.abort();
    aborting[0]?.abort();
    onAbort(first, late);
    assert.deepEqual([early.callCount, cancelled.callCount, late.callCount], [1, 0, 1]);
  });

  it("does not call on an abort what another action cancels", () => {
    const cancelled = sinon.spy();
    let cancel = (): void => undefined;
    onAbort(first, () => cancel());
    cancel = onAbort(first, cancelled);
    aborting[0]?.abort();
    assert.equal(cancelled.callCount, 0);
  });

  it("passes on the result of the work", async () => {
    assert.equal(await withSignal([first, undefined], () => Promise.resolve(7), timeout), 7);
    assert.equal(await waitFor(Promise.resolve(7), first), 7);
  });

  it("passes on the error of the work", async () => {
    const failing = (): Promise<never> => Promise.reject(new Error("work"));
    await assert.rejects(withSignal([first], failing, timeout), /work/);
    await assert.rejects(waitFor(failing(), first), /work/);
  });

  for (const index of [0, 1]) {
    it(`ends with signal ${index + 1}, whose work is aborted`, async () => {
      let inner: AbortSignal | undefined;
      const waiting = withSignal([first, second], (signal) => ((inner = signal), never), timeout);
      aborting[index]?.abort();
      await assert.rejects(waiting, AbortedError);
      assert.equal(inner?.aborted, true);
    });
  }

  it("ends with the error of its time limit, even for work that waits with the inner signal", async () => {
    const waiting = withSignal([first], (signal) => sleep(5000, signal), timeout);
    const ended = assert.rejects(waiting, TimeoutError);
    await clock.tickAsync(1000);
    await ended;
  });

  it("starts no work if the signal has already aborted", async () => {
    aborting[0]?.abort();
    const work = sinon.spy(() => Promise.resolve());
    await assert.rejects(withSignal([second, first], work), AbortedError);
    assert.equal(work.callCount, 0);
  });

  it("handles the failure of aborted work", async () => {
    aborting[0]?.abort();
    await assert.rejects(waitFor(Promise.reject(new Error("late")), first), AbortedError);
  });

  it("sleeps for the given time, or until aborted", async () => {
    const whole = sleep(100, first);
    await clock.tickAsync(100);
    await whole;
    const cut = assert.rejects(sleep(100, first), AbortedError);
    aborting[0]?.abort();
    await cut;
    await assert.rejects(sleep(100, first), AbortedError);
  });

  it("does not pass on the reason of somebody else", async () => {
    const controller = new AbortController();
    const waiting = [
      waitFor(never, controller.signal),
      withSignal([first, controller.signal], () => never, timeout),
    ];
    controller.abort(new Error("a reason of somebody else"));
    await Promise.all(waiting.map((one) => assert.rejects(one, AbortedError)));
  });

  it("waits a hundred times for one signal without a Node.js warning", async () => {
    const controller = new AbortController();
    const warnings: Error[] = [];
    const collect = (warning: Error): void => void warnings.push(warning);
    process.on("warning", collect);
    const waiting = Array.from({ length: 100 }, () => assert.rejects(waitFor(never, controller.signal)));
    // Node.js emits a warning in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", collect);
    controller.abort();
    await Promise.all(waiting);
    assert.deepEqual(warnings, []);
  });
});
