// Tests for the queue of a node: one job at a time, shared by what waits for the same, and a signal to hurry; and lanes.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import { JobQueue } from "../../../../../nodes/shared/runtime/lifecycle/queue";

describe("job queue", () => {
  let served: unknown[][];
  let hurries: (AbortSignal | undefined)[];
  let finish: () => void;
  let queue: JobQueue<string>;

  beforeEach(() => {
    served = [];
    hurries = [];
    queue = new JobQueue<string>(({ work, triggers }, hurry) => {
      served.push([work, ...triggers.map(({ message }) => message.payload)]);
      hurries.push(hurry);
      return new Promise((resolve) => (finish = resolve));
    });
  });

  const add = (payload: number, topic?: string): void => {
    const message: NodeMessage = { payload, ...(topic === undefined ? {} : { topic }) };
    const trigger = { message, original: message, send: () => undefined, done: () => undefined };
    queue.add({ work: "answer", triggers: [trigger], key: topic });
  };
  const next = async (): Promise<void> => {
    finish();
    await new Promise(setImmediate);
  };

  it("serves messages with the same key that wait at the same time with one job", async () => {
    add(1, "a");
    add(2, "a");
    add(3, "b");
    add(4, "a");
    await next();
    add(5, "a");
    await next();
    await next();
    assert.deepEqual(served, [
      ["answer", 1],
      ["answer", 2, 4],
      ["answer", 3],
      ["answer", 5],
    ]);
  });

  it("serves messages without a key one by one", async () => {
    for (const payload of [1, 2, 3]) add(payload);
    await next();
    await next();
    assert.deepEqual(served, [
      ["answer", 1],
      ["answer", 2],
      ["answer", 3],
    ]);
  });

  it("queues the same work without a message once", async () => {
    for (let count = 0; count < 5; count += 1) queue.add({ work: "poll", triggers: [], key: "poll" });
    queue.add({ work: "timer", triggers: [], key: "timer" });
    for (let count = 0; count < 3; count += 1) await next();
    assert.deepEqual(served, [["poll"], ["poll"], ["timer"]]);
    assert.equal(queue.inHand, 0);
  });

  it("tells a job that takes its time to hurry while another waits", async () => {
    const spread = { maxPause: 1000, until: 1000 };
    queue.add({ work: "poll", triggers: [], key: "poll", spread });
    assert.equal(hurries[0]?.aborted, false);
    add(1);
    queue.add({ work: "poll", triggers: [], key: "poll", spread });
    add(2);
    assert.equal(hurries[0]?.aborted, true);
    await next();
    await next();
    assert.equal(hurries[2]?.aborted, true);
    await next();
    assert.ok(!hurries[3]?.aborted);
  });
});

describe("job queue with lanes", () => {
  let started: string[];
  let ends: Map<string, () => void>;
  let queue: JobQueue<string>;

  beforeEach(() => {
    started = [];
    ends = new Map();
    queue = new JobQueue<string>(
      ({ work }) => {
        started.push(work);
        return new Promise((resolve) => ends.set(work, resolve));
      },
      () => 3,
    );
  });

  const add = (work: string, siteId: string, systemId?: string): void => {
    const message: NodeMessage = {};
    const trigger = { message, original: message, send: () => undefined, done: () => undefined };
    queue.add({ work, triggers: [trigger], key: undefined, lane: { siteId, systemId } });
  };
  const end = async (work: string): Promise<void> => {
    ends.get(work)?.();
    await new Promise(setImmediate);
  };

  it("runs jobs of different series side by side, as many as it is wide", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) add(name, name);
    assert.deepEqual(started, ["a", "b", "c"]);
    await end("b");
    assert.deepEqual(started, ["a", "b", "c", "d"]);
    assert.equal(queue.inHand, 4);
  });

  it("runs jobs of one series in order, and lets others pass", async () => {
    for (const name of ["a1", "a2", "a3"]) add(name, "a", "one");
    add("b", "b");
    add("a'", "a", "two");
    assert.deepEqual(started, ["a1", "b", "a'"]);
    for (const name of ["a1", "a2"]) await end(name);
    assert.deepEqual(started, ["a1", "b", "a'", "a2", "a3"]);
  });

  it("keeps a job of a site in order with those of its systems, one of which it may be", async () => {
    add("one", "a", "one");
    add("two", "a", "two");
    add("site", "a");
    add("one again", "a", "one");
    await end("two");
    assert.deepEqual(started, ["one", "two"]);
    await end("one");
    assert.deepEqual(started, ["one", "two", "site"]);
    await end("site");
    assert.deepEqual(started, ["one", "two", "site", "one again"]);
  });

  it("is drained once the jobs are done that wait for others", async () => {
    for (const name of ["1", "2", "3"]) add(name, "a");
    const drained = queue.drained().then(() => queue.inHand);
    for (const name of ["1", "2", "3"]) await end(name);
    assert.equal(await drained, 0);
  });
});
