// Tests for the basis: DC where PC1 measures DC, and undefined for unknown generations.
import assert from "node:assert/strict";
import { basisReader } from "../../src/models/basis";

const times = { startTime: "2026-06-01T00:00:00Z", endTime: "2026-06-01T00:05:00Z" };
const record = { ...times, grid: {}, solar: {}, consumption: {}, storage: {}, inverter: {} };

describe("basis of a record", () => {
  it("is DC for solar and storage of PC1, and AC for everything else", () => {
    assert.deepEqual(basisReader("PC1")(record), {
      grid: "ac",
      solar: "dc",
      consumption: "ac",
      storage: "dc",
      inverter: "ac",
    });
  });

  it("is AC throughout for PC2", () => {
    assert.deepEqual(new Set(Object.values(basisReader("PC2")(record) ?? {})), new Set(["ac"]));
  });

  it("omits groups that are null or absent", () => {
    assert.deepEqual(basisReader("PC1")({ ...times, grid: {}, solar: null }), { grid: "ac" });
  });

  it("is undefined for unknown generations", () => {
    assert.equal(basisReader("PC3")(record), undefined);
    assert.equal(basisReader(undefined)(record), undefined);
  });
});
