// Tests for the queue of writes: one at a time, with the newest of each state, as soon as one of them cannot wait.
import assert from "node:assert/strict";
import sinon from "sinon";
import { StoreError } from "../../../../../src/errors";
import { entryOf, WriteQueue } from "../../../../../nodes/shared/runtime/state/write-queue";
import { AS_STORED } from "../../../../support/state-writer";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the queue of writes", () => {
  let clock: sinon.SinonFakeTimers;
  let written: string[][];
  let isWriting: boolean;
  /** Ends the write under way. */
  let end: (error?: Error) => void;
  let queue: WriteQueue;

  const add = (id: string, state: number, within = 0): Promise<void> =>
    queue.add(id, entryOf(AS_STORED, state), within);

  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    written = [];
    isWriting = false;
    queue = new WriteQueue(async (batch) => {
      assert.equal(isWriting, false, "one write at a time");
      isWriting = true;
      written.push([...batch].map(([id, { stored }]) => id + String(stored())));
      await new Promise<void>((resolve, reject) => {
        end = (error) => (error ? reject(error) : resolve());
      }).finally(() => (isWriting = false));
    });
  });
  afterEach(() => clock.restore());

  it("writes what comes during a write together, only the newest of each", async () => {
    const first = add("a", 1);
    await turn();
    const others = [add("a", 2), add("b", 1), add("a", 3)];
    end();
    await first;
    await turn();
    end();
    await Promise.all(others);
    assert.deepEqual(written, [["a1"], ["a3", "b1"]]);
  });

  it("lets a write wait for others, but none longer than it may", async () => {
    const writes = [add("a", 1, 100), add("b", 1, 1000)];
    await clock.tickAsync(99);
    assert.deepEqual(written, []);
    await clock.tickAsync(1);
    assert.deepEqual(written, [["a1", "b1"]]);
    end();
    await Promise.all(writes);
    const late = add("a", 2, 1000);
    await clock.tickAsync(500);
    const now = add("b", 2);
    await turn();
    assert.deepEqual(written.at(-1), ["a2", "b2"]);
    end();
    await Promise.all([late, now]);
    assert.equal(clock.countTimers(), 0);
  });

  it("does not write again what is being written", async () => {
    const first = add("a", 1);
    await turn();
    const again = add("a", 1);
    end();
    await Promise.all([first, again]);
    assert.deepEqual(written, [["a1"]]);
  });

  it("fails for everything in a write that fails, and goes on", async () => {
    const failing = Promise.allSettled([add("a", 1), add("b", 1)]);
    await turn();
    end(new StoreError("storeWritten", { reason: "full" }));
    const outcomes = await failing;
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    const next = add("a", 2);
    await turn();
    end();
    await next;
    assert.deepEqual(written.at(-1), ["a2"]);
  });
});
