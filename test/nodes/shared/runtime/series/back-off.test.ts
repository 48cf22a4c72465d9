// Tests for how often scheduled runs ask for a series that fails by itself.
import assert from "node:assert/strict";
import { BackOff } from "../../../../../nodes/shared/runtime/series/series-runs";
import { HOUR, MINUTE } from "../../../../../src/time-units";

describe("the back-off of a series that fails by itself", () => {
  const address = { siteId: "site-1", systemId: undefined };
  const error = new Error("fails");

  /** The times in minutes at which a series that always fails is asked for. */
  function asked(intervalMinutes: number, hours: number): number[] {
    const backOff = new BackOff();
    const times: number[] = [];
    for (let now = 0; now <= hours * HOUR; now += intervalMinutes * MINUTE) {
      backOff.beginRun(now);
      if (backOff.skip("1", now)) continue;
      times.push(now / MINUTE);
      backOff.failed("1", { address, error }, now);
    }
    return times;
  }

  it("doubles, up to an hour", () => {
    assert.deepEqual(asked(5, 4), [0, 5, 15, 35, 75, 135, 195]);
    assert.deepEqual(asked(1, 4).slice(0, 9), [0, 1, 3, 7, 15, 31, 63, 123, 183]);
  });

  it("never makes the next attempt later than an hour, whatever the interval", () => {
    assert.deepEqual(asked(50, 4), [0, 50, 100, 150, 200]);
    assert.deepEqual(asked(25, 4), [0, 25, 75, 125, 175, 225]);
  });

  it("ends when the series is read, and begins anew", () => {
    const backOff = new BackOff();
    backOff.failed("1", { address, error }, 0);
    backOff.failed("1", { address, error }, 1);
    assert.deepEqual(backOff.skip("1", 2), { address, error });
    assert.deepEqual(
      backOff.failing.map(({ since, count }) => [since, count]),
      [[0, 2]],
    );
    backOff.recovered("1");
    assert.equal(backOff.skip("1", 3), undefined);
    backOff.failed("1", { address, error }, 4);
    assert.equal(backOff.skip("1", 5), undefined);
  });
});
