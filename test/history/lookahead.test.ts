// Tests for reading ahead in several history runs: together they hold no more than a few days of records.
import assert from "node:assert/strict";
import { Lookahead } from "../../src/history/lookahead";

type Run = { ahead: () => number; end: (error?: Error) => void; ended: Promise<void> };

describe("reading ahead in several runs", () => {
  let lookahead: Lookahead;

  beforeEach(() => {
    lookahead = new Lookahead();
  });

  /** Runs until the test ends them. */
  function begin(count: number): Run[] {
    return Array.from({ length: count }, () => {
      const run: Partial<Run> = {};
      run.ended = lookahead.during((ahead) => {
        run.ahead = ahead;
        return new Promise((resolve, reject) => {
          run.end = (error) => (error ? reject(error) : resolve());
        });
      });
      return run as Run;
    });
  }

  const shares = (runs: readonly Run[]): number[] => runs.map(({ ahead }) => ahead());

  it("lets one run read four windows ahead", () => assert.deepEqual(shares(begin(1)), [4]));

  it("shares eight windows among several", () => {
    assert.deepEqual(shares(begin(2)), [4, 4]);
    assert.deepEqual(shares(begin(2)), [2, 2]);
  });

  it("leaves two windows to each of many, so that one is requested while the other is sent", () =>
    assert.deepEqual(
      shares(begin(9)),
      Array.from({ length: 9 }, () => 2),
    ));

  it("gives the share of a run that has ended or failed to the others", async () => {
    const [first, ...others] = begin(4);
    const [second, third] = others;
    assert.deepEqual(shares(others), [2, 2, 2]);
    first?.end();
    second?.end(new Error("failed"));
    await first?.ended;
    await assert.rejects(second?.ended ?? Promise.resolve(), /failed/);
    assert.equal(third?.ahead(), 4);
  });
});
