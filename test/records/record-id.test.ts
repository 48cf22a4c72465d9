// Promises of record ids: the same for the same record, different for any other.
import assert from "node:assert/strict";
import { recordId } from "../../src/records/record-id";

const start = Date.UTC(2026, 5, 1, 12);

describe("record ids", () => {
  it("name site, system, source and start", () => {
    assert.equal(
      recordId({ siteId: "site-1", systemId: "sys-1" }, "telemetry", start),
      "site-1/sys-1/telemetry/2026-06-01T12:00:00.000Z",
    );
  });

  it("stay apart where ids hold separators", () => {
    const one = recordId({ siteId: "a/b", systemId: "c" }, "rgm", start);
    const other = recordId({ siteId: "a", systemId: "b/c" }, "rgm", start);
    assert.notEqual(one, other);
  });

  it("tell a site from a system, and telemetry from the meter", () => {
    const ids = [
      recordId({ siteId: "a" }, "telemetry", start),
      recordId({ siteId: "a", systemId: "site" }, "telemetry", start),
      recordId({ siteId: "a" }, "rgm", start),
    ];
    assert.equal(new Set(ids).size, 3);
  });
});
