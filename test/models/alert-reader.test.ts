// Tests for reading alerts of any shape: the severity class, and a key that is stable while the alert is open.
import assert from "node:assert/strict";
import { alertNameOf, lastingContentOf, severityNameOf, severityOf } from "../../src/models/alert-reader";
import { cpuTime } from "../support/cpu-time";

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
    it(`classifies severity ${JSON.stringify(severity)} as ${expected}`, () =>
      assert.equal(severityOf({ severity }), expected));
  }

  it("keeps the service's own name for a severity", () => {
    assert.equal(severityNameOf({ severity: "Critical" }), "Critical");
    assert.equal(severityNameOf({}), undefined);
  });

  for (const field of ["alertId", "id", "uuid", "alertKey"]) {
    it(`uses ${field} as the key`, () => {
      assert.equal(alertNameOf({ [field]: "x-1", title: "a" }), "x-1");
      assert.equal(alertNameOf({ [field]: 17 }), "17");
    });
  }

  it("replaces a key of more than 1,024 characters by its digest", () => {
    const key = (length: number): string => alertNameOf({ id: "x".repeat(length) });
    assert.equal(key(1024).length, 1024);
    assert.match(key(1025), /^[0-9a-f]{64}$/);
    assert.notEqual(key(1025), key(1026));
  });

  const open = { siteId: "a", deviceId: "d", code: "E7", raisedAt: "2026-02-01T00:00:00Z" };

  it("builds a key that does not depend on severity, text or modification times", () => {
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
    it(`distinguishes alerts by ${JSON.stringify(change)}`, () =>
      assert.notEqual(alertNameOf({ ...open, ...change }), alertNameOf(open)));
  }

  it("treats a numeric id as unique only within its site", () => {
    assert.notEqual(alertNameOf({ id: 1, siteId: "a" }), alertNameOf({ id: 1, siteId: "b" }));
    assert.equal(alertNameOf({ id: "x", siteId: "a" }), "x");
  });

  it("uses the alert's text as its cause if nothing else names one", () => {
    const alert = { siteId: "a", message: "Grid lost", timestamp: "t1", severity: "LOW" };
    assert.notEqual(alertNameOf({ ...alert, message: "Battery hot" }), alertNameOf(alert));
    assert.equal(alertNameOf({ ...alert, timestamp: "t2", severity: "HIGH" }), alertNameOf(alert));
  });

  it("distinguishes alerts of the same device", () => {
    const alert = { siteId: "a", deviceId: "d", fault: 3, status: "OPEN" };
    assert.notEqual(alertNameOf({ ...alert, fault: 4 }), alertNameOf(alert));
    assert.equal(alertNameOf({ ...alert, status: "ACK", lastUpdated: "2" }), alertNameOf(alert));
  });

  it("looks at no field with a name of more than 255 characters", () => {
    const lasts = (name: string): boolean => name in lastingContentOf({ other: 1, [name]: 1 });
    assert.deepEqual([lasts(`${"x".repeat(248)}updated`), lasts(`${"x".repeat(249)}updated`)], [false, true]);
    // `closed_at`, with whatever is not a letter left out.
    assert.deepEqual(
      [lasts(`closed${"_".repeat(247)}at`), lasts(`closed${"_".repeat(248)}at`)],
      [false, true],
    );
  });

  it("reads an alert with a field name of 400,000 characters within a second", () => {
    const names = ["a", "update"].map((part) => part.repeat(400_000 / part.length));
    assert.ok(cpuTime(() => names.forEach((name) => alertNameOf({ [name]: 1 }))) < 1000);
  });
});
