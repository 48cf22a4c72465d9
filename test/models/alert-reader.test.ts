// Reading alerts of any shape: the class of their severity, and a key that stays while they are open.
import assert from "node:assert/strict";
import { alertNameOf, severityNameOf, severityOf } from "../../src/models/alert-reader";

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

  for (const field of ["alertId", "id", "uuid", "alertKey"]) {
    it(`takes ${field} for the key`, () => {
      assert.equal(alertNameOf({ [field]: "x-1", title: "a" }), "x-1");
      assert.equal(alertNameOf({ [field]: 17 }), "17");
    });
  }

  const open = { siteId: "a", deviceId: "d", code: "E7", raisedAt: "2026-02-01T00:00:00Z" };

  it("builds a key that survives changes of severity, text and times of change", () => {
    const before = alertNameOf({
      ...open,
      severity: "LOW",
      description: "warm",
      updatedAt: "2026-02-01T00:01:00Z",
    });
    const after = alertNameOf({
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
      assert.notEqual(alertNameOf({ ...open, ...change }), alertNameOf(open)));
  }

  it("takes a number for an id within its site only", () => {
    assert.notEqual(alertNameOf({ id: 1, siteId: "a" }), alertNameOf({ id: 1, siteId: "b" }));
    assert.equal(alertNameOf({ id: "x", siteId: "a" }), "x");
  });

  it("takes what an alert says for its cause where nothing else names one", () => {
    const said = { siteId: "a", message: "Grid lost", timestamp: "t1", severity: "LOW" };
    assert.notEqual(alertNameOf({ ...said, message: "Battery hot" }), alertNameOf(said));
    assert.equal(alertNameOf({ ...said, timestamp: "t2", severity: "HIGH" }), alertNameOf(said));
  });

  it("does not take alerts for the same because they are of the same device", () => {
    const alert = { siteId: "a", deviceId: "d", fault: 3, status: "OPEN" };
    assert.notEqual(alertNameOf({ ...alert, fault: 4 }), alertNameOf(alert));
    assert.equal(alertNameOf({ ...alert, status: "ACK", lastUpdated: "2" }), alertNameOf(alert));
  });
});
