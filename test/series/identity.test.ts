// Tests for record ids: the same for the same record, different for any other.
import assert from "node:assert/strict";
import { recordId, seriesId } from "../../src/series/identity";

const start = Date.UTC(2026, 5, 1, 12);

describe("record ids", () => {
  it("consist of site, system, source and start", () => {
    assert.equal(
      recordId(seriesId({ siteId: "site-1", systemId: "sys-1" }, "telemetry"), start),
      "site-1/sys-1/telemetry/2026-06-01T12:00:00.000Z",
    );
  });

  it("contain the start in ISO 8601, on a full minute or not, in any order", () => {
    const starts = [
      0,
      5 * 60_000,
      59 * 60_000,
      60 * 60_000,
      1,
      61_500,
      25 * 60 * 60_000,
      5 * 60_000,
      -60_000,
    ];
    for (const shift of starts) {
      const id = recordId(seriesId({ siteId: "a" }, "rgm"), start + shift);
      assert.equal(id, `a//rgm/${new Date(start + shift).toISOString()}`);
    }
  });

  it("are distinct even if site or system ids contain separators", () => {
    const one = recordId(seriesId({ siteId: "a/b", systemId: "c" }, "rgm"), start);
    const other = recordId(seriesId({ siteId: "a", systemId: "b/c" }, "rgm"), start);
    assert.notEqual(one, other);
  });

  it("distinguish a site from a system, and telemetry from the meter", () => {
    const ids = [
      recordId(seriesId({ siteId: "a" }, "telemetry"), start),
      recordId(seriesId({ siteId: "a", systemId: "site" }, "telemetry"), start),
      recordId(seriesId({ siteId: "a" }, "rgm"), start),
    ];
    assert.equal(new Set(ids).size, 3);
  });
});
