// Tests for whether an alert is over: tolerant of names and spellings, but only what is known to mean "over" counts.
import assert from "node:assert/strict";
import { isEndField, isOver } from "../../src/models/alert-end";

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
      assert.equal(isEndField(field), true, field);
    for (const field of ["raisedAt", "title", "code"]) assert.equal(isEndField(field), false, field);
  });
});
