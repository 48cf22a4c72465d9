// Tests for reading ahead: results in order, no more reads in flight than allowed, failures in turn and never unhandled.
import assert from "node:assert/strict";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { readAhead } from "../../src/history/read-ahead";

/** Reads that end when the test ends them. */
class Reads {
  readonly started: number[] = [];
  readonly #ends = new Map<number, { resolve: (value: string) => void; reject: (error: Error) => void }>();

  readonly read = (item: number): Promise<string> => {
    this.started.push(item);
    return new Promise((resolve, reject) => this.#ends.set(item, { resolve, reject }));
  };

  end(item: number): void {
    this.#ends.get(item)?.resolve(`result ${item}`);
  }

  fail(item: number): void {
    this.#ends.get(item)?.reject(new Error(`failure ${item}`));
  }
}

/** Processes results one at a time, each until the test releases it. */
class Work {
  readonly processed: string[] = [];
  #release = (): void => undefined;

  readonly process = (result: string): Promise<void> => {
    this.processed.push(result);
    return new Promise((resolve) => (this.#release = resolve));
  };

  async next(): Promise<void> {
    this.#release();
    await eventLoopTurn();
  }
}

describe("reading ahead", () => {
  let reads: Reads;
  let work: Work;

  beforeEach(() => {
    reads = new Reads();
    work = new Work();
  });

  it("returns results in order, whichever arrives first", async () => {
    const all = readAhead([1, 2, 3], reads.read, work.process, 3);
    for (const item of [3, 2]) reads.end(item);
    await work.next();
    assert.deepEqual(work.processed, []);
    reads.end(1);
    for (let count = 0; count < 4; count += 1) await work.next();
    await all;
    assert.deepEqual(work.processed, ["result 1", "result 2", "result 3"]);
  });

  it("starts another read only when a result has been processed", async () => {
    const all = readAhead([1, 2, 3, 4], reads.read, work.process, 2);
    reads.end(1);
    reads.end(2);
    await eventLoopTurn();
    assert.deepEqual([work.processed, reads.started], [["result 1"], [1, 2]]);
    await work.next();
    assert.deepEqual(
      [work.processed, reads.started],
      [
        ["result 1", "result 2"],
        [1, 2, 3],
      ],
    );
    reads.end(3);
    await work.next();
    reads.end(4);
    for (let count = 0; count < 4; count += 1) await work.next();
    await all;
  });

  it("returns results that precede a failure, and leaves no other failure unhandled", async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", listen);
    const all = assert.rejects(readAhead([1, 2, 3], reads.read, work.process, 3), /failure 2/);
    reads.fail(3);
    reads.fail(2);
    await eventLoopTurn();
    reads.end(1);
    await eventLoopTurn();
    await work.next();
    await all;
    process.off("unhandledRejection", listen);
    assert.deepEqual([work.processed, unhandled], [["result 1"], []]);
  });

  it("reads nothing for an empty list", () => readAhead([], reads.read, work.process));

  it("shares eight reads among several runs, at least two each, and gives those of a run that has ended to the others", async () => {
    const items = Array.from({ length: 20 }, (_none, index) => index);
    const runs = Array.from({ length: 5 }, () => new Reads());
    const ended = runs.map((run) => readAhead(items, run.read, () => Promise.resolve()));
    assert.deepEqual(
      runs.map(({ started }) => started.length),
      [4, 4, 2, 2, 2],
    );
    for (const run of runs.slice(1)) run.fail(0);
    await Promise.allSettled(ended.slice(1));
    for (const item of [0, 1, 2, 3]) runs[0]?.end(item);
    await eventLoopTurn();
    assert.equal(runs[0]?.started.length, 8);
    runs[0]?.fail(4);
    await assert.rejects(ended[0] ?? Promise.resolve(), /failure 4/);
  });
});
