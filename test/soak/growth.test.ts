// Tests how the soak tells growth from noise.
import assert from "node:assert/strict";
import { HOUR } from "../../src/time-units";
import { growthPerHour } from "./growth";

const samplesOf = (values: readonly number[]): { at: number; value: number }[] =>
  values.map((value, index) => ({ at: index * HOUR, value }));

describe("growth in a soak", () => {
  it("is what is added in an hour", () => {
    assert.equal(growthPerHour(samplesOf([100, 103, 106, 109])), 3);
  });

  it("is none if samples only go up and down, even if the last is far up", () => {
    assert.equal(growthPerHour(samplesOf([100, 104, 100, 104, 100, 104, 100, 900])) < 1, true);
  });

  it("is found below noise that is larger", () => {
    const noisy = Array.from({ length: 23 }, (_, hour) => hour + (hour % 2) * 8);
    assert.ok(Math.abs(growthPerHour(samplesOf(noisy)) - 1) < 0.3);
  });
});
