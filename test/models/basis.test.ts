// Tests for the basis: DC where PC1 measures DC, and undefined for unknown generations.
import assert from "node:assert/strict";
import { basisOf } from "../../src/models/basis";

const times = { startTime: "2026-06-01T00:00:00Z", endTime: "2026-06-01T00:05:00Z" };
const record = { ...times, grid: {}, solar: {}, consumption: {}, storage: {}, inverter: {} };

describe("basis of a record", () => {
  it("is DC for solar and storage of PC1, and AC for everything else", () => {
    assert.deepEqual(basisOf(record, "PC1"), {
      grid: "ac",
      solar: "dc",
      consumption: "ac",
      storage: "dc",
      inverter: "ac",
    });
  });

  it("is AC throughout for PC2", () => {
    assert.deepEqual(new Set(Object.values(basisOf(record, "PC2") ?? {})), new Set(["ac"]));
  });

  it("omits groups that are null or absent", () => {
    assert.deepEqual(basisOf({ ...times, grid: {}, solar: null }, "PC1"), { grid: "ac" });
  });

  it("is undefined for unknown generations", () => {
    assert.equal(basisOf(record, "PC3"), undefined);
    assert.equal(basisOf(record, undefined), undefined);
  });
});
