// Promises of reading ahead: results in order, never more under way than allowed, failures in their turn and never unheard.
import assert from "node:assert/strict";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { readAhead } from "../../nodes/history/read-ahead";

/** Reads that end when the test says so. */
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

describe("reading ahead", () => {
  it("gives results in order, whichever comes first", async () => {
    const reads = new Reads();
    const results = readAhead([1, 2, 3], 3, reads.read);
    const first = results.next();
    for (const item of [3, 2, 1]) reads.end(item);
    assert.equal((await first).value, "result 1");
    assert.equal((await results.next()).value, "result 2");
    assert.equal((await results.next()).value, "result 3");
    assert.equal((await results.next()).done, true);
  });

  it("starts another read only when a result was worked on and the next is asked for", async () => {
    const reads = new Reads();
    const results = readAhead([1, 2, 3, 4], 2, reads.read);
    const first = results.next();
    reads.end(1);
    reads.end(2);
    await first;
    await eventLoopTurn();
    assert.deepEqual(reads.started, [1, 2]);
    await results.next();
    assert.deepEqual(reads.started, [1, 2, 3]);
  });

  it("gives what came before a failure, and lets none of the others go unheard", async () => {
    const unheard: unknown[] = [];
    const listen = (reason: unknown): void => void unheard.push(reason);
    process.on("unhandledRejection", listen);
    const reads = new Reads();
    const results = readAhead([1, 2, 3], 3, reads.read);
    const first = results.next();
    reads.fail(3);
    reads.fail(2);
    await eventLoopTurn();
    reads.end(1);
    assert.equal((await first).value, "result 1");
    await assert.rejects(results.next(), /failure 2/);
    await eventLoopTurn();
    process.off("unhandledRejection", listen);
    assert.deepEqual(unheard, []);
  });

  it("reads nothing of nothing", async () => {
    assert.equal((await readAhead([], 2, new Reads().read).next()).done, true);
  });
});
