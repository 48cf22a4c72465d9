// Tests for shared work: done once while it lasts, by one of those who wait for it.
import assert from "node:assert/strict";
import sinon from "sinon";
import { sleep } from "../src/abort";
import { AbortedError } from "../src/errors";
import { setNewest } from "../src/bounded-map";
import { cachedPromise, SingleFlight } from "../src/single-flight";

describe("work for several callers at a time", () => {
  const flights = new SingleFlight<number>();

  it("is done once for each key, and again once it has ended", async () => {
    const work = sinon.spy(() => Promise.resolve(7));
    const results = await Promise.all([
      flights.run("a", work),
      flights.run("a", work),
      flights.run("b", work),
    ]);
    assert.deepEqual([results, work.callCount, flights.isIdle], [[7, 7, 7], 2, true]);
    await flights.run("a", work);
    assert.equal(work.callCount, 3);
  });

  it("fails for all of them, and is then tried again", async () => {
    const work = sinon.spy(() => Promise.reject(new Error("work")));
    await Promise.all([1, 2].map(() => assert.rejects(flights.run("a", work), /work/)));
    await assert.rejects(flights.run("a", work), /work/);
    assert.equal(work.callCount, 2);
  });

  it("is aborted when the one who does it leaves, and then done anew by another", async () => {
    const signals: AbortSignal[] = [];
    const work = (signal: AbortSignal): Promise<number> => {
      signals.push(signal);
      return signals.length < 3 ? sleep(60_000, signal).then(() => 0) : Promise.resolve(7);
    };
    const [one, two, three] = [new AbortController(), new AbortController(), new AbortController()];
    const calls = [one, two, three].map(({ signal }) => flights.run("a", work, signal));
    const gone = calls.slice(0, 2).map((call) => assert.rejects(call, AbortedError));
    one.abort();
    await gone[0];
    two.abort();
    await gone[1];
    assert.equal(await calls[2], 7);
    assert.deepEqual([signals.length, flights.isIdle], [3, true]);
    await assert.rejects(flights.run("a", work, one.signal), AbortedError);
    assert.equal(signals.length, 3);
  });
});

describe("a cached promise", () => {
  it("does its work once, unless it fails", async () => {
    const work = sinon.stub<[], Promise<number>>();
    work.onFirstCall().rejects(new Error("work")).onSecondCall().resolves(7);
    const result = cachedPromise(work);
    await Promise.all([1, 2].map(() => assert.rejects(result(), /work/)));
    assert.deepEqual([await result(), await result(), work.callCount], [7, 7, 2]);
  });
});

describe("a bounded map", () => {
  it("keeps what was set last", () => {
    const map = new Map([
      ["a", 1],
      ["b", 2],
    ]);
    assert.equal(setNewest(map, "a", 3, 2), undefined);
    assert.deepEqual(setNewest(map, "c", 4, 2), ["b", 2]);
    assert.deepEqual([...map.keys()], ["a", "c"]);
  });
});
