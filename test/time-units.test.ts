// Tests for query windows: exclusive edges, at most 24 hours, nothing lost or repeated at a boundary; and for times as a text.
import assert from "node:assert/strict";
import { DAY, HOUR, isInWindow, isoTime, MAX_WINDOW, MINUTE, splitWindow } from "../src/time-units";

const noon = Date.UTC(2026, 2, 29, 12);

describe("query windows", () => {
  it("exclude a record that only touches an edge", () => {
    const window = { start: noon, end: noon + HOUR };
    assert.equal(isInWindow({ start: noon - 5 * MINUTE, end: noon }, window), false);
    assert.equal(isInWindow({ start: noon + HOUR, end: noon + HOUR + 5 * MINUTE }, window), false);
  });

  it("include a record that overlaps an edge by a millisecond", () => {
    const window = { start: noon, end: noon + HOUR };
    assert.equal(isInWindow({ start: noon - 5 * MINUTE, end: noon + 1 }, window), true);
    assert.equal(isInWindow({ start: noon + HOUR - 1, end: noon + 2 * HOUR }, window), true);
  });

  it("split a longer range into contiguous parts of at most 24 hours", () => {
    const range = { start: noon, end: noon + 60 * HOUR };
    const windows = splitWindow(range);
    assert.deepEqual(
      windows.map(({ start, end }) => [(start - noon) / HOUR, (end - noon) / HOUR]),
      [
        [0, 24],
        [24, 48],
        [48, 60],
      ],
    );
  });

  it("do not split a range of exactly 24 hours", () => {
    assert.equal(splitWindow({ start: noon, end: noon + MAX_WINDOW }).length, 1);
  });

  it("are empty if the end is not after the start", () => {
    assert.deepEqual(splitWindow({ start: noon, end: noon }), []);
  });
});

describe("times in messages", () => {
  it("are written as Date writes them, whatever was written before", () => {
    const days = [0, -1, 20_000, 20_001, -719_528, 2_932_897, -100_000_000, 99_999_999].map(
      (day) => day * DAY,
    );
    const parts = [0, 1, 300_000, 299_999, 13_482, 313_482, DAY - 1, 0.5, -0.5];
    const times = days.flatMap((day) => parts.map((part) => day + part)).filter((time) => time >= -8.64e15);
    for (const time of [...times, ...times.toReversed()])
      assert.equal(isoTime(time), new Date(time).toISOString());
  });

  it("must exist", () => {
    for (const time of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1])
      assert.throws(() => isoTime(time), RangeError);
  });
});
