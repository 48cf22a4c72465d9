// Promises of the query windows: strict edges, at most 24 hours, nothing lost or doubled at a cut.
import assert from "node:assert/strict";
import { isInWindow, latestWindow, latestWindows, MAX_WINDOW, splitWindow } from "../../src/ledger/window";
import { HOUR, MINUTE } from "../../src/time-units";

const noon = Date.UTC(2026, 2, 29, 12);

describe("query windows", () => {
  it("leave out a record that only touches an edge", () => {
    const window = { start: noon, end: noon + HOUR };
    assert.equal(isInWindow({ start: noon - 5 * MINUTE, end: noon }, window), false);
    assert.equal(isInWindow({ start: noon + HOUR, end: noon + HOUR + 5 * MINUTE }, window), false);
  });

  it("hold a record that overlaps an edge by a millisecond", () => {
    const window = { start: noon, end: noon + HOUR };
    assert.equal(isInWindow({ start: noon - 5 * MINUTE, end: noon + 1 }, window), true);
    assert.equal(isInWindow({ start: noon + HOUR - 1, end: noon + 2 * HOUR }, window), true);
  });

  it("cut a longer range into parts of at most 24 hours that touch each other", () => {
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

  it("leave a range of exactly 24 hours whole", () => {
    assert.equal(splitWindow({ start: noon, end: noon + MAX_WINDOW }).length, 1);
  });

  it("give nothing to ask for where the end is not after the start", () => {
    assert.deepEqual(splitWindow({ start: noon, end: noon }), []);
  });

  it("reach 15 minutes to either side of now for the latest value", () => {
    assert.deepEqual(latestWindow(noon), { start: noon - 15 * MINUTE, end: noon + 15 * MINUTE });
  });

  it("reach further back for a latest value that may be older, but never ask for more than 24 hours", () => {
    assert.equal(latestWindow(noon, 60).start, noon - HOUR);
    const { start, end } = latestWindow(noon, 3 * 24 * 60);
    assert.equal(end - start, MAX_WINDOW);
  });

  it("go on back from there until a value would be too old, a week at the most", () => {
    const windows = latestWindows(noon, 40 * 60);
    assert.deepEqual(
      windows.map(({ start, end }) => [(start - noon) / HOUR, (end - noon) / HOUR]),
      [
        [-23.75, 0.25],
        [-40, -23.75],
      ],
    );
    assert.deepEqual(latestWindows(noon, 15), [latestWindow(noon)]);
    const longest = latestWindows(noon, 1e9);
    assert.equal(longest.at(-1)?.start, noon - 7 * 24 * HOUR);
    assert.ok(longest.every(({ start, end }) => end - start <= MAX_WINDOW));
  });

  it("do not reach less far for a value that must be younger", () => {
    assert.equal(latestWindow(noon, 1).start, noon - 15 * MINUTE);
  });
});
