// Tests for what aborts work: a signal of Node.js or our own, each action once, and nothing kept of what is cancelled.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import sinon from "sinon";
import { type Abortable, AbortFlag, onAbort } from "../src/abort";

const KINDS: Record<string, () => { signal: Abortable; abort: () => void }> = {
  "an AbortSignal": () => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  },
  "an AbortFlag": () => {
    const flag = new AbortFlag();
    return { signal: flag, abort: () => flag.abort() };
  },
};

for (const [kind, make] of Object.entries(KINDS)) {
  describe(kind, () => {
    it("reports an abort once, immediately if it has already happened, and not after cancellation", () => {
      const { signal, abort } = make();
      const [early, cancelled, late] = [sinon.spy(), sinon.spy(), sinon.spy()];
      onAbort(signal, early);
      onAbort(signal, cancelled)();
      assert.equal(signal.aborted, false);
      abort();
      abort();
      assert.equal(signal.aborted, true);
      onAbort(signal, late);
      assert.deepEqual([early.callCount, cancelled.callCount, late.callCount], [1, 0, 1]);
    });

    it("does not call what another action cancels", () => {
      const { signal, abort } = make();
      const cancelled = sinon.spy();
      let cancel = (): void => undefined;
      onAbort(signal, () => cancel());
      cancel = onAbort(signal, cancelled);
      abort();
      assert.equal(cancelled.callCount, 0);
    });
  });
}

describe("thousands of waits for one AbortSignal", () => {
  it("take one listener", () => {
    const { signal } = new AbortController();
    for (let count = 0; count < 5000; count += 1) onAbort(signal, () => undefined)();
    for (let count = 0; count < 50; count += 1) onAbort(signal, () => undefined);
    assert.equal(getEventListeners(signal, "abort").length, 1);
  });
});
