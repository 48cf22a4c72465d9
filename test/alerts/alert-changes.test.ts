// Tests for alert changes: each alert is raised once and cleared once, whatever its shape, and none is lost.
import assert from "node:assert/strict";
import type { Alert } from "../../src/models/alert";
import { alertChanges, alertKeys, type OpenAlert } from "../../src/alerts/alert-changes";

const A = { id: "1", severity: "LOW", detail: { level: 1, names: ["x"] } };
const B = { id: "2", severity: "HIGH" };

const all = (): boolean => true;
/** The alerts as a first run stores them. */
const keep = (known: Alert[], passes: (alert: Alert) => boolean = all): OpenAlert[] =>
  alertChanges([], known, passes).open;
const changesOf = (known: Alert[], present: Alert[]) => alertChanges(keep(known), present, all).changes;
const changes = (known: Alert[], present: Alert[]): string[] =>
  changesOf(known, present).map(({ change, alertKey }) => `${change} ${alertKey}`);

describe("alert changes", () => {
  it("reports raised and cleared alerts", () => {
    assert.deepEqual(changes([], [A, B]), ["raised 1", "raised 2"]);
    assert.deepEqual(changes([A, B], [B]), ["cleared 1"]);
    assert.deepEqual(changes([A], [B]), ["raised 2", "cleared 1"]);
    assert.deepEqual(changes([A, B], []), ["cleared 1", "cleared 2"]);
  });

  it("reports nothing if nothing has changed, whatever the order of alerts and fields", () => {
    const same = { detail: { names: ["x"], level: 1 }, severity: "LOW", id: "1" };
    assert.deepEqual(changes([A, B], [B, same]), []);
  });

  it("reports any difference, however deeply nested, including added and removed fields", () => {
    for (const changed of [
      { ...A, severity: "HIGH" },
      { ...A, detail: { level: 2, names: ["x"] } },
      { ...A, detail: { level: 1, names: ["x", "y"] } },
      { ...A, note: null },
      { id: "1" },
    ]) {
      const [only, ...others] = changesOf([A], [changed]);
      assert.deepEqual([only, others], [{ change: "changed", alertKey: "1", alert: changed }, []]);
    }
  });

  it("returns a cleared alert in its last known form", () => assert.equal(changesOf([A], [])[0]?.alert, A));

  it("treats an alert that is listed twice as one", () => {
    assert.deepEqual(changes([], [A, { ...A }]), ["raised 1"]);
    assert.deepEqual(changes([A, A], [A]), []);
  });

  it("loses none of several alerts that share a key", () => {
    const other = { ...A, detail: { level: 9 } };
    assert.deepEqual(changes([], [A, other]), ["raised 1", "raised 1#2"]);
    assert.deepEqual(changes([A, other], [A, other]), []);
    assert.deepEqual(changes([A, other], [A]), ["cleared 1#2"]);
  });

  it("identifies alerts without ids by their subject", () => {
    const open = { siteId: "a", code: "E7", severity: "LOW", text: "warm" };
    const [only] = changesOf([open], [{ ...open, severity: "HIGH", text: "hot" }]);
    assert.equal(only?.change, "changed");
    assert.equal(changes([open], [{ ...open, code: "E8" }]).length, 2);
  });

  it("distinguishes alerts of unknown shape by their entire content", () => {
    const [one, two] = [
      { severity: "LOW", text: "warm" },
      { severity: "LOW", text: "slow" },
    ];
    assert.equal(changes([], [one, two]).length, 2);
    const [only] = changesOf([one, two], [two]);
    assert.deepEqual([only?.change, only?.alert], ["cleared", one]);
    assert.match(String(changes([one], [{ text: "warm", severity: "HIGH" }])), /^changed /);
  });

  it("keeps the keys of several alerts that share a name, whichever is cleared and whatever their order", () => {
    const [one, two, three] = ["a", "b", "c"].map((note) => ({ siteId: "s", code: "E7", note }));
    assert.ok(one && two && three);
    const [first, second] = alertKeys([], [one, two]);
    assert.notEqual(first, second);
    assert.deepEqual(alertKeys(keep([one, two]), [two, one]), [second, first]);
    const { changes: gone, open } = alertChanges(keep([one, two]), [two], all);
    assert.deepEqual(gone, [{ change: "cleared", alertKey: first, alert: one }]);
    assert.deepEqual(alertKeys(open, [three, two]), [first, second]);
    assert.deepEqual(
      changes([one, two], [two, { ...one, note: "d" }]).map((text) => text.replace(/ .*/, "")),
      ["changed"],
    );
  });

  it("reports further changes of an alert that the flow has received, even if it no longer passes the filter", () => {
    const isHigh = ({ severity }: Alert): boolean => severity === "HIGH";
    const raised = alertChanges([], [B], isHigh);
    const lower = { ...B, severity: "LOW" };
    const fallen = alertChanges(raised.open, [lower], isHigh);
    assert.deepEqual(fallen.changes, [{ change: "changed", alertKey: "2", alert: lower }]);
    const cleared = alertChanges(fallen.open, [], isHigh);
    assert.deepEqual(cleared.changes, [{ change: "cleared", alertKey: "2", alert: lower }]);
  });

  it("reports nothing about an alert that never passed the filter", () => {
    const { open } = alertChanges([], [A], () => false);
    assert.deepEqual(alertChanges(open, [], () => false).changes, []);
    const { changes: risen } = alertChanges(open, [{ ...A, severity: "HIGH" }], all);
    assert.deepEqual(
      risen.map(({ change }) => change),
      ["changed"],
    );
  });
});
