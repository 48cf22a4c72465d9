// Tests for the order in which waiting requests start: by priority, and in turns between callers.
import assert from "node:assert/strict";
import type { Caller, Priority } from "../../../src/client/http/fair-queue";
import { FairQueue } from "../../../src/client/http/fair-queue";

describe("fair queue", () => {
  let queue: FairQueue<string>;

  beforeEach(() => {
    queue = new FairQueue();
  });

  const caller = (id: string, priority: Priority = "schedule"): Caller => ({ id, priority });

  function addAll(values: readonly string[], by: Caller): void {
    for (const value of values) queue.add(value, by);
  }

  function takeAll(): string[] {
    return Array.from({ length: queue.size }, () => queue.take() ?? "nothing");
  }

  it("keeps the order of one caller's requests", () => {
    addAll(["1", "2", "3"], caller("a"));
    assert.deepEqual(takeAll(), ["1", "2", "3"]);
    assert.equal(queue.take(), undefined);
  });

  it("takes what a person waits for before schedules, and those before backlog", () => {
    addAll(["backlog"], caller("a", "backlog"));
    addAll(["schedule"], caller("a", "schedule"));
    addAll(["user"], caller("a", "user"));
    assert.deepEqual(takeAll(), ["user", "schedule", "backlog"]);
  });

  it("gives callers of one priority turns, however much one of them requests", () => {
    addAll(["a1", "a2", "a3", "a4"], caller("a"));
    addAll(["b1"], caller("b"));
    addAll(["c1", "c2"], caller("c"));
    assert.deepEqual(takeAll(), ["a1", "b1", "c1", "a2", "c2", "a3", "a4"]);
  });

  it("keeps the turns of callers that stay in the queue", () => {
    addAll(["a1", "a2"], caller("a"));
    addAll(["b1"], caller("b"));
    assert.equal(queue.take(), "a1");
    addAll(["a3"], caller("a"));
    assert.deepEqual(takeAll(), ["b1", "a2", "a3"]);
  });

  it("gives every tenth turn to less urgent requests, and of those every tenth to the least urgent", () => {
    const values = (name: string): string[] => Array.from({ length: 200 }, (_, index) => `${name} ${index}`);
    addAll(values("user"), caller("a", "user"));
    addAll(values("schedule"), caller("a", "schedule"));
    addAll(values("backlog"), caller("a", "backlog"));
    const taken = Array.from({ length: 200 }, () => queue.take());
    const count = (name: string): number => taken.filter((value) => value?.startsWith(name)).length;
    assert.deepEqual([count("user"), count("schedule"), count("backlog")], [180, 18, 2]);
    assert.equal(taken[9], "schedule 0");
  });

  it("forgets what is removed, and leaves nothing behind", () => {
    const first = queue.add("1", caller("a"));
    addAll(["2"], caller("a"));
    const only = queue.add("3", caller("b"));
    first();
    only();
    assert.equal(queue.size, 1);
    assert.deepEqual(takeAll(), ["2"]);
  });

  it("removes from the middle and the end", () => {
    const [, second, third] = ["1", "2", "3"].map((value) => queue.add(value, caller("a")));
    assert.ok(second && third);
    third();
    queue.add("4", caller("a"));
    second();
    assert.deepEqual(takeAll(), ["1", "4"]);
  });
});
