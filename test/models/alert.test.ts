// Tests for alerts of any shape: the severity class, a key that is stable while the alert is open, and when it is over.
import assert from "node:assert/strict";
import {
  type Alert,
  alertNameOf,
  isOver,
  lastingContentOf,
  newsOf,
  severityNameOf,
  severityOf,
} from "../../src/models/alert";
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

  it("replaces a key by its digest if more than 1,024 characters are possible with a number", () => {
    const key = (length: number): string => alertNameOf({ id: "x".repeat(length) });
    assert.equal(key(1017).length, 1017);
    assert.match(key(1018), /^[0-9a-f]{64}$/);
    assert.notEqual(key(1018), key(1019));
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

  it("reads an alert with a field name of 400,000 characters within a second", () => {
    const names = ["a", "update"].map((part) => part.repeat(400_000 / part.length));
    assert.ok(cpuTime(() => names.forEach((name) => alertNameOf({ [name]: 1 }))) < 1000);
  });

  it("reads an alert that is a single name as large as an answer in a fraction of a second", () => {
    const name = "-".repeat(8 * 2 ** 20);
    const read = (alert: Alert): unknown => [isOver(alert, NOW), newsOf(alert), lastingContentOf(alert)];
    for (const alert of [{ [name]: 1 }, { status: name }])
      assert.ok(cpuTime(() => read(alert)) < 200, Object.values(alert).join().slice(0, 9));
  });
});

const NOW = Date.UTC(2026, 5, 10, 10, 7);
const SECOND_AGO = NOW - 1000;

describe("the end of an alert", () => {
  for (const alert of [
    { closedAt: "2026-06-10T10:00:00Z" },
    { closed_at: "2026-06-10T12:00:00+02:00" },
    { ClearedTime: "2026-06-10 10:00:00" },
    { resolvedOn: "2026-06-10" },
    { endTime: SECOND_AGO },
    { "end-timestamp": SECOND_AGO / 1000 },
    { endedAt: String(SECOND_AGO) },
    { closeTime: new Date(NOW).toISOString() },
    { resolved: "2026-06-10T10:00:00Z" },
    { status: "CLEARED" },
    { state: "Resolved" },
    { alertStatus: "no-longer active" },
    { alert_state: " auto_closed " },
    { Status: "inactive" },
    { active: false },
    { isActive: false },
    { is_open: "False" },
    { resolved: true },
    { isCleared: "true" },
    { closed: true, status: "OPEN" },
    { status: "OPEN", closedAt: "2026-06-10T10:00:00Z" },
    { status: "CLOSED", closedAt: null, active: true },
  ]) {
    it(`is shown by ${JSON.stringify(alert)}`, () => assert.equal(isOver(alert, NOW), true));
  }

  for (const alert of [
    {},
    { closedAt: null },
    { closedAt: "" },
    { closedAt: 0 },
    { closedAt: "0" },
    { closedAt: "0001-01-01T00:00:00Z" },
    { closedAt: "0001-01-01" },
    { closedAt: "1970-01-01T00:00:00Z" },
    { closedAt: "not yet" },
    { closedAt: new Date(NOW + 61_000).toISOString() },
    { closedAt: NOW + 61_000 },
    { endTime: { value: SECOND_AGO } },
    { endTime: Number.POSITIVE_INFINITY },
    { raisedAt: "2026-06-10T10:00:00Z", updatedAt: "2026-06-10T10:00:00Z" },
    { acknowledgedAt: "2026-06-10T10:00:00Z", acknowledged: true },
    { status: "ACKNOWLEDGED" },
    { status: "not closed" },
    { status: "UNRESOLVED" },
    { status: "suspended" },
    { status: 3 },
    { status: null },
    { resolution: "CLOSED" },
    { title: "closed" },
    { active: true },
    { active: null },
    { active: 0 },
    { resolved: false },
    { resolved: 1 },
    { closed: "no" },
    { over: true },
  ]) {
    it(`is not shown by ${JSON.stringify(alert)}`, () => assert.equal(isOver(alert, NOW), false));
  }

  it("is shown by a closing time as soon as that has passed, by a clock that may be a minute slow", () => {
    const alert = { closedAt: "2026-06-10T10:08:00Z" };
    assert.deepEqual([isOver(alert, NOW - 1), isOver(alert, NOW)], [false, true]);
  });

  it("is told by fields that are no part of what identifies an alert", () => {
    for (const field of ["closedAt", "cleared_time", "alertStatus", "isActive", "Resolved"])
      assert.deepEqual(lastingContentOf({ code: 1, [field]: "x" }), { code: 1 }, field);
  });
});

describe("the news of an alert", () => {
  const newsAfter = (minutes: number, before: number): string =>
    newsOf({ message: `${"x".repeat(before)} for ${minutes} min` });

  for (const later of ["1 h 5 min", "1 hour, 5 minutes", "1 hour and 5 minutes", "1h5m", "2 weeks"])
    it(`leaves durations out, also of more than one unit, such as ${later}`, () => {
      const lost = (duration: string): Alert => ({ message: `Offline for ${duration}, since 9:05 AM.` });
      assert.equal(newsOf(lost(later)), newsOf(lost("35 min")));
      assert.equal(alertNameOf(lost(later)), alertNameOf(lost("35 min")));
    });

  it("leaves durations out, but of a text so long that looking for them would hold the event loop", () => {
    assert.equal(newsAfter(5, 900), newsAfter(6, 900));
    assert.notEqual(newsAfter(5, 1000), newsAfter(6, 1000));
  });
});
