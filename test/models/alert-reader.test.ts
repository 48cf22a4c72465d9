// Reading alerts of any shape: the class of their severity, and a key that stays while they are open.
import assert from "node:assert/strict";
import { alertKeyOf, severityNameOf, severityOf } from "../../src/models/alert-reader";

describe("alert reader", () => {
  for (const [severity, expected] of [
    ["LOW", "LOW"],
    ["medium", "MEDIUM"],
    [" High ", "HIGH"],
    ["CRITICAL", "OTHER"],
    ["not-HIGH", "OTHER"],
    ["", "OTHER"],
    [null, "OTHER"],
    [undefined, "OTHER"],
  ] as const) {
    it(`puts severity ${JSON.stringify(severity)} into ${expected}`, () =>
      assert.equal(severityOf({ severity }), expected));
  }

  it("keeps the service's own name of a severity", () => {
    assert.equal(severityNameOf({ severity: "Critical" }), "Critical");
    assert.equal(severityNameOf({}), undefined);
  });

  for (const field of ["alertId", "id", "uuid"]) {
    it(`takes ${field} for the key`, () => {
      assert.equal(alertKeyOf({ [field]: "x-1", title: "a" }), "x-1");
      assert.equal(alertKeyOf({ [field]: 17 }), "17");
    });
  }

  const open = { siteId: "a", deviceId: "d", code: "E7", raisedAt: "2026-02-01T00:00:00Z" };

  it("builds a key that survives changes of severity, text and times of change", () => {
    const before = alertKeyOf({
      ...open,
      severity: "LOW",
      description: "warm",
      updatedAt: "2026-02-01T00:01:00Z",
    });
    const after = alertKeyOf({
      updatedAt: "2026-02-01T00:09:00Z",
      severity: "HIGH",
      description: "hot",
      ...open,
    });
    assert.equal(after, before);
  });

  for (const change of [
    { siteId: "b" },
    { systemId: "s" },
    { deviceId: "e" },
    { code: "E8" },
    { code: 7 },
    { title: "other" },
    { raisedAt: "2026-02-02T00:00:00Z" },
  ]) {
    it(`tells alerts apart by ${JSON.stringify(change)}`, () =>
      assert.notEqual(alertKeyOf({ ...open, ...change }), alertKeyOf(open)));
  }
});
