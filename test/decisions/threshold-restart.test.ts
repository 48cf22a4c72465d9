// Tests for threshold decisions across a restart: nothing is reported twice, and ages are remembered.
import assert from "node:assert/strict";
import { afterRestart } from "../../src/decisions/threshold";
import { MINUTE } from "../../src/time-units";
import { decisions, NOW, RULE } from "../support/threshold-decisions";

describe("threshold after a restart", () => {
  it("neither repeats nor invents an edge", () => {
    const waiting = { edge: "low", since: NOW - 9 * MINUTE, seen: NOW - 9 * MINUTE } as const;
    const state = afterRestart({ side: "high", time: NOW, waiting }, NOW, RULE);
    assert.deepEqual(
      decisions(
        [
          [0, null],
          [0.1, 70],
          [1, null],
        ],
        { hold: 10 * MINUTE },
        state,
      ),
      [],
    );
    assert.equal(state.waiting, undefined);
  });

  it("gives the flow a minute to send a value before the data is stale", () => {
    const state = afterRestart({ side: "high", time: NOW - 600 * MINUTE }, NOW, RULE);
    assert.deepEqual(
      decisions(
        [
          [1, null],
          [1.001, null],
        ],
        {},
        state,
      ),
      ["1.001 stale"],
    );
  });

  it("remembers the age of a value that is still fresh", () => {
    const state = afterRestart({ time: NOW - 3 * MINUTE }, NOW, RULE);
    assert.deepEqual(
      decisions(
        [
          [12, null],
          [12.001, null],
        ],
        {},
        state,
      ),
      ["12.001 stale"],
    );
  });

  it("does not report an unsafe value again", () => {
    const state = afterRestart({ unsafe: "stale", time: NOW }, NOW, RULE);
    assert.deepEqual(
      decisions(
        [
          [20, null],
          [21, { value: null }],
        ],
        {},
        state,
      ),
      [],
    );
  });
});
