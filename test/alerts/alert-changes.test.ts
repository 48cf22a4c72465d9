// Tests for alert changes: each alert is raised once and cleared once, whatever its shape, and none is lost.
import assert from "node:assert/strict";
import type { Alert } from "../../src/models/alert";
import { alertChanges, alertKeys, type OpenAlert } from "../../src/alerts/alert-changes";
import { cpuTime } from "../support/cpu-time";

const NOW = Date.UTC(2026, 5, 10, 10, 7);

const A = { id: "1", severity: "LOW", detail: { level: 1, names: ["x"] } };
const B = { id: "2", severity: "HIGH" };

const all = (_alert: Alert): boolean => true;
/** The alerts as a first run stores them. */
const keep = (known: Alert[], passes: (alert: Alert) => boolean = all): OpenAlert[] =>
  alertChanges([], known, passes, NOW).open;
/** Of the same list twice, so that what is not listed is cleared. */
const changesOf = (known: Alert[], present: Alert[], passes = all) =>
  changesAfter(keep(known), present, passes);
const changesAfter = (known: OpenAlert[], present: Alert[], passes = all) => {
  const first = alertChanges(known, present, passes, NOW);
  return [...first.changes, ...alertChanges(first.open, present, passes, NOW).changes];
};
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

  for (const changed of [
    { ...A, severity: "HIGH" },
    { ...A, severity: 3 } as unknown as Alert,
    { ...A, detail: { level: 1, names: ["x", "y"] } },
    { ...A, status: "ACKNOWLEDGED" },
    { ...A, acknowledged: true },
    { ...A, message: "hot" },
    { ...A, errorCode: 17 },
    { id: "1" },
  ])
    it(`reports a change of severity, state or text as in ${JSON.stringify(changed)}`, () => {
      const [only, ...others] = changesOf([A], [changed]);
      assert.deepEqual([only, others], [{ change: "changed", alertKey: "1", alert: changed }, []]);
    });

  for (const same of [
    { ...A, lastSeenAt: "2026-06-10T10:05:00Z", updatedAt: "2026-06-10T10:05:00Z", occurrences: 7 },
    { ...A, detail: { level: 2, names: ["x"] } },
    { ...A, signalStrength: -71, traceId: "4f1c", heartbeat: { beat: "odd" } },
    { ...A, note: null, durationMinutes: 35, ageSeconds: 2100 },
  ])
    it(`reports nothing for ${JSON.stringify(same)}`, () => assert.deepEqual(changes([A], [same]), []));

  it("knows an alert of unknown shape again by its texts, whatever its numbers are", () => {
    assert.deepEqual(
      changes([{ fault: "overheated", reading: 71 }], [{ fault: "overheated", reading: 74 }]),
      [],
    );
  });

  it("takes a text with another duration or time for the same", () => {
    const lost = (text: string): Alert => ({ siteId: "a", message: text });
    const [five, ten] = [lost("Offline for 5 min since 10:05"), lost("Offline for 1.5 hours since 11:10")];
    assert.deepEqual(changes([five], [ten]), []);
  });

  it("clears what is no longer listed after two lists without it, and raises it again only after that", () => {
    const present = (known: OpenAlert[], listed: Alert[]) => alertChanges(known, listed, all, NOW);
    const short = present(keep([A, B]), [B]);
    assert.deepEqual(short.changes, []);
    assert.deepEqual(present(short.open, [A, B]).changes, []);
    // What came back is missing for the first time again.
    assert.deepEqual(present(present(short.open, [A, B]).open, [B]).changes, []);
    const gone = present(short.open, [B]);
    assert.deepEqual(gone.changes, [{ change: "cleared", alertKey: "1", alert: A }]);
    assert.deepEqual(present(gone.open, [A, B]).changes, [{ change: "raised", alertKey: "1", alert: A }]);
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
    const [first, second] = alertKeys([], [one, two], NOW);
    assert.notEqual(first, second);
    assert.deepEqual(alertKeys(keep([one, two]), [two, one], NOW), [second, first]);
    const { open: waiting } = alertChanges(keep([one, two]), [two], all, NOW);
    const { changes: gone, open } = alertChanges(waiting, [two], all, NOW);
    assert.deepEqual(gone, [{ change: "cleared", alertKey: first, alert: one }]);
    assert.deepEqual(alertKeys(open, [three, two], NOW), [first, second]);
    assert.deepEqual(
      changes([one, two], [two, { ...one, note: "d" }]).map((text) => text.replace(/ .*/, "")),
      ["changed"],
    );
  });

  it("reports further changes of an alert that the flow has received, even if it no longer passes the filter", () => {
    const isHigh = ({ severity }: Alert): boolean => severity === "HIGH";
    const raised = alertChanges([], [B], isHigh, NOW);
    const lower = { ...B, severity: "LOW" };
    const fallen = alertChanges(raised.open, [lower], isHigh, NOW);
    assert.deepEqual(fallen.changes, [{ change: "changed", alertKey: "2", alert: lower }]);
    const cleared = changesAfter(fallen.open, [], isHigh);
    assert.deepEqual(cleared, [{ change: "cleared", alertKey: "2", alert: lower }]);
  });

  it("reports nothing about an alert that never passed the filter", () => {
    const { open } = alertChanges([], [A], () => false, NOW);
    assert.deepEqual(
      changesAfter(open, [], () => false),
      [],
    );
    const { changes: risen } = alertChanges(open, [{ ...A, severity: "HIGH" }], all, NOW);
    assert.deepEqual(
      risen.map(({ change }) => change),
      ["changed"],
    );
  });
});

describe("alerts that are listed as over", () => {
  const closed = { ...B, status: "CLOSED", closedAt: "2026-06-10T10:00:00Z" };
  /** Compares each list with the one before, and returns the changes of each step. */
  const steps = (...lists: Alert[][]): string[][] => {
    let known: OpenAlert[] = [];
    return lists.map((listed) => {
      const result = alertChanges(known, listed, all, NOW);
      known = result.open;
      return result.changes.map(({ change, alertKey }) => `${change} ${alertKey}`);
    });
  };

  it("are cleared once, as listed now, and forgotten while they stay listed", () => {
    const [only, ...others] = changesOf([A, B], [A, closed]);
    assert.deepEqual([only, others], [{ change: "cleared", alertKey: "2", alert: closed }, []]);
    assert.deepEqual(steps([B], [closed], [closed], [{ ...closed, note: "x" }], []), [
      ["raised 2"],
      ["cleared 2"],
      [],
      [],
      [],
    ]);
  });

  it("are never raised if they were not known, in the first run or later", () => {
    assert.deepEqual(steps([closed], [A, closed], [A, closed]), [[], ["raised 1"], []]);
  });

  it("are raised again when they are open again", () => {
    assert.deepEqual(steps([B], [closed], [B], [closed]), [
      ["raised 2"],
      ["cleared 2"],
      ["raised 2"],
      ["cleared 2"],
    ]);
  });

  it("are cleared if the flow knows them, whatever their severity is now", () => {
    const isHigh = ({ severity }: Alert): boolean => severity === "HIGH";
    const { open } = alertChanges([], [A, B], isHigh, NOW);
    const listed = [
      { ...A, severity: "HIGH", active: false },
      { ...closed, severity: "LOW" },
    ];
    const { changes: cleared } = alertChanges(open, listed, isHigh, NOW);
    assert.deepEqual(
      cleared.map(({ change, alertKey }) => `${change} ${alertKey}`),
      ["cleared 2"],
    );
  });

  it("take no key from an open alert of the same name", () => {
    const open = { siteId: "s", code: "E7", note: "new" };
    const over = { siteId: "s", code: "E7", note: "old", active: false };
    const [key] = alertKeys([], [open], NOW);
    assert.deepEqual(steps([over], [over, open], [over, { ...open, note: "newer" }]), [
      [],
      [`raised ${key}`],
      [`changed ${key}`],
    ]);
  });

  it("are told from a new alert of the same name", () => {
    const first = { siteId: "s", code: "E7", note: "first", active: true };
    const second = { ...first, note: "second" };
    const [key] = alertKeys([], [first], NOW);
    assert.deepEqual(steps([first], [{ ...first, active: false }, second]), [
      [`raised ${key}`],
      [`raised ${key}#2`, `cleared ${key}`],
    ]);
  });

  it("are recognized without an id, too", () => {
    const alert = { fault: 3 };
    const [raised, cleared] = steps([alert], [{ ...alert, cleared: true }]);
    assert.deepEqual([raised?.length, cleared?.length], [1, 1]);
    assert.match(cleared?.[0] ?? "", /^cleared /);
  });
});

describe("alert keys", () => {
  it("are found for ten thousand alerts of the same name in seconds", () => {
    const alerts = Array.from({ length: 10_000 }, (_, level) => ({ id: "1", level }));
    const taken = cpuTime(() => {
      const { open } = alertChanges([], alerts, all, NOW);
      const next = alerts.map((alert) => ({ ...alert, level: -alert.level }));
      assert.equal(new Set(alertKeys(open, next, NOW)).size, 10_000);
    });
    assert.ok(taken < 5000);
  });

  it("are not those of another alert that is known", () => {
    const numbered = keep([{ id: "1" }, { id: "1", level: 2 }]);
    assert.deepEqual(
      changesAfter(numbered.slice(1), [{ id: "1#2" }]).map(({ change }) => change),
      ["raised", "cleared"],
    );
  });
});
