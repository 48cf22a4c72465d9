// Tests for work on many items: it lets other work run in between.
import assert from "node:assert/strict";
import sinon from "sinon";
import { inTurns } from "../../../../../nodes/shared/runtime/base/in-turns";

describe("work in turns", () => {
  it("does not hold the event loop, however many items there are", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["performance"] });
    try {
      const done: string[] = [];
      // What runs in each turn of the event loop in between.
      const other = (): void => {
        done.push("other work");
        if (done.length < 20) setImmediate(other);
      };
      setImmediate(other);
      await inTurns([1, 2, 3, 4, 5, 6], (item) => {
        clock.tick(4);
        done.push(`item ${item}`);
      });
      assert.deepEqual(done.slice(0, 4), ["item 1", "item 2", "item 3", "other work"]);
      assert.deepEqual(done.slice(4, 7), ["item 4", "item 5", "item 6"]);
    } finally {
      clock.restore();
    }
  });
});
