// Tests for alert changes: each alert is raised once and cleared once, whatever its shape, and none is lost.
import assert from "node:assert/strict";
import type { Alert } from "../../src/models/alert";
import { alertChanges, keyedAlerts, type OpenAlert } from "../../src/alerts/alert-changes";
import { TurnWatch } from "../support/cpu-time";

const NOW = Date.UTC(2026, 5, 10, 10, 7);

const A = { id: "1", severity: "LOW", detail: { level: 1, names: ["x"] } };
const B = { id: "2", severity: "HIGH" };

const all = (_alert: Alert): boolean => true;
/** The alerts as a first run stores them. */
const keep = async (known: Alert[], passes: (alert: Alert) => boolean = all): Promise<OpenAlert[]> =>
  (await alertChanges([], known, passes, NOW)).open;
/** Of the same list twice, so that what is not listed is cleared. */
const changesOf = async (known: Alert[], present: Alert[], passes = all) =>
  changesAfter(await keep(known), present, passes);
const changesAfter = async (known: OpenAlert[], present: Alert[], passes = all) => {
  const first = await alertChanges(known, present, passes, NOW);
  return [...first.changes, ...(await alertChanges(first.open, present, passes, NOW)).changes];
};
const changes = async (known: Alert[], present: Alert[]): Promise<string[]> =>
  (await changesOf(known, present)).map(({ change, alertKey }) => `${change} ${alertKey}`);
const keysOf = async (known: OpenAlert[], listed: Alert[]): Promise<string[]> =>
  (await keyedAlerts(known, listed, NOW)).map(([key]) => key);

describe("alert changes", () => {
  it("reports raised and cleared alerts", async () => {
    assert.deepEqual(await changes([], [A, B]), ["raised 1", "raised 2"]);
    assert.deepEqual(await changes([A, B], [B]), ["cleared 1"]);
    assert.deepEqual(await changes([A], [B]), ["raised 2", "cleared 1"]);
    assert.deepEqual(await changes([A, B], []), ["cleared 1", "cleared 2"]);
  });

  it("reports nothing if nothing has changed, whatever the order of alerts and fields", async () => {
    const same = { detail: { names: ["x"], level: 1 }, severity: "LOW", id: "1" };
    assert.deepEqual(await changes([A, B], [B, same]), []);
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
    it(`reports a change of severity, state or text as in ${JSON.stringify(changed)}`, async () => {
      const [only, ...others] = await changesOf([A], [changed]);
      assert.deepEqual([only, others], [{ change: "changed", alertKey: "1", alert: changed }, []]);
    });

  for (const same of [
    { ...A, lastSeenAt: "2026-06-10T10:05:00Z", updatedAt: "2026-06-10T10:05:00Z", occurrences: 7 },
    { ...A, detail: { level: 2, names: ["x"] } },
    { ...A, signalStrength: -71, traceId: "4f1c", heartbeat: { beat: "odd" } },
    { ...A, note: null, durationMinutes: 35, ageSeconds: 2100 },
  ])
    it(`reports nothing for ${JSON.stringify(same)}`, async () =>
      assert.deepEqual(await changes([A], [same]), []));

  it("knows an alert of unknown shape again by its texts, whatever its numbers are", async () => {
    assert.deepEqual(
      await changes([{ fault: "overheated", reading: 71 }], [{ fault: "overheated", reading: 74 }]),
      [],
    );
  });

  it("takes a text with another duration or time for the same", async () => {
    const lost = (text: string): Alert => ({ siteId: "a", message: text });
    const [five, ten] = [lost("Offline for 5 min since 10:05"), lost("Offline for 1.5 hours since 11:10")];
    assert.deepEqual(await changes([five], [ten]), []);
  });

  it("clears what is no longer listed after two lists without it, and raises it again only after that", async () => {
    const present = (known: OpenAlert[], listed: Alert[]) => alertChanges(known, listed, all, NOW);
    const short = await present(await keep([A, B]), [B]);
    assert.deepEqual(short.changes, []);
    assert.deepEqual((await present(short.open, [A, B])).changes, []);
    // What came back is missing for the first time again.
    assert.deepEqual((await present((await present(short.open, [A, B])).open, [B])).changes, []);
    const gone = await present(short.open, [B]);
    assert.deepEqual(gone.changes, [{ change: "cleared", alertKey: "1", alert: A }]);
    assert.deepEqual((await present(gone.open, [A, B])).changes, [
      { change: "raised", alertKey: "1", alert: A },
    ]);
  });

  it("returns a cleared alert in its last known form", async () =>
    assert.equal((await changesOf([A], []))[0]?.alert, A));

  it("treats an alert that is listed twice as one", async () => {
    assert.deepEqual(await changes([], [A, { ...A }]), ["raised 1"]);
    assert.deepEqual(await changes([A, A], [A]), []);
  });

  it("loses none of several alerts that share a key", async () => {
    const other = { ...A, detail: { level: 9 } };
    assert.deepEqual(await changes([], [A, other]), ["raised 1", "raised 1#2"]);
    assert.deepEqual(await changes([A, other], [A, other]), []);
    assert.deepEqual(await changes([A, other], [A]), ["cleared 1#2"]);
  });

  it("identifies alerts without ids by their subject", async () => {
    const open = { siteId: "a", code: "E7", severity: "LOW", text: "warm" };
    const [only] = await changesOf([open], [{ ...open, severity: "HIGH", text: "hot" }]);
    assert.equal(only?.change, "changed");
    assert.equal((await changes([open], [{ ...open, code: "E8" }])).length, 2);
  });

  it("distinguishes alerts of unknown shape by their entire content", async () => {
    const [one, two] = [
      { severity: "LOW", text: "warm" },
      { severity: "LOW", text: "slow" },
    ];
    assert.equal((await changes([], [one, two])).length, 2);
    const [only] = await changesOf([one, two], [two]);
    assert.deepEqual([only?.change, only?.alert], ["cleared", one]);
    assert.match(String(await changes([one], [{ text: "warm", severity: "HIGH" }])), /^changed /);
  });

  it("keeps the keys of several alerts that share a name, whichever is cleared and whatever their order", async () => {
    const [one, two, three] = ["a", "b", "c"].map((note) => ({ siteId: "s", code: "E7", note }));
    assert.ok(one && two && three);
    const [first, second] = await keysOf([], [one, two]);
    assert.notEqual(first, second);
    assert.deepEqual(await keysOf([], [two, one]), [second, first]);
    assert.deepEqual(await keysOf(await keep([one, two]), [two, one]), [second, first]);
    const { open: waiting } = await alertChanges(await keep([one, two]), [two], all, NOW);
    const { changes: gone, open } = await alertChanges(waiting, [two], all, NOW);
    assert.deepEqual(gone, [{ change: "cleared", alertKey: first, alert: one }]);
    assert.deepEqual(await keysOf(open, [three, two]), [first, second]);
    assert.deepEqual(
      (await changes([one, two], [two, { ...one, note: "d" }])).map((text) => text.replace(/ .*/, "")),
      ["changed"],
    );
  });

  it("reports further changes of an alert that the flow has received, even if it no longer passes the filter", async () => {
    const isHigh = ({ severity }: Alert): boolean => severity === "HIGH";
    const raised = await alertChanges([], [B], isHigh, NOW);
    const lower = { ...B, severity: "LOW" };
    const fallen = await alertChanges(raised.open, [lower], isHigh, NOW);
    assert.deepEqual(fallen.changes, [{ change: "changed", alertKey: "2", alert: lower }]);
    const cleared = await changesAfter(fallen.open, [], isHigh);
    assert.deepEqual(cleared, [{ change: "cleared", alertKey: "2", alert: lower }]);
  });

  it("reports nothing about an alert that never passed the filter", async () => {
    const { open } = await alertChanges([], [A], () => false, NOW);
    assert.deepEqual(await changesAfter(open, [], () => false), []);
    const { changes: risen } = await alertChanges(open, [{ ...A, severity: "HIGH" }], all, NOW);
    assert.deepEqual(
      risen.map(({ change }) => change),
      ["changed"],
    );
  });
});

describe("alerts that are listed as over", () => {
  const closed = { ...B, status: "CLOSED", closedAt: "2026-06-10T10:00:00Z" };
  /** Compares each list with the one before, and returns the changes of each step. */
  const steps = async (...lists: Alert[][]): Promise<string[][]> => {
    let known: OpenAlert[] = [];
    const said: string[][] = [];
    for (const listed of lists) {
      const result = await alertChanges(known, listed, all, NOW);
      known = result.open;
      said.push(result.changes.map(({ change, alertKey }) => `${change} ${alertKey}`));
    }
    return said;
  };

  it("are cleared once, as listed now, and forgotten while they stay listed", async () => {
    const [only, ...others] = await changesOf([A, B], [A, closed]);
    assert.deepEqual([only, others], [{ change: "cleared", alertKey: "2", alert: closed }, []]);
    assert.deepEqual(await steps([B], [closed], [closed], [{ ...closed, note: "x" }], []), [
      ["raised 2"],
      ["cleared 2"],
      [],
      [],
      [],
    ]);
  });

  it("are cleared in a list of which something cannot be read, which says nothing about the others", async () => {
    const { changes: cleared, open } = await alertChanges(await keep([A, B]), [closed], all, NOW, false);
    assert.deepEqual(cleared, [{ change: "cleared", alertKey: "2", alert: closed }]);
    // The first complete list without it.
    assert.deepEqual((await alertChanges(open, [closed], all, NOW)).changes, []);
  });

  it("are never raised if they were not known, in the first run or later", async () => {
    assert.deepEqual(await steps([closed], [A, closed], [A, closed]), [[], ["raised 1"], []]);
  });

  it("are raised again when they are open again", async () => {
    assert.deepEqual(await steps([B], [closed], [B], [closed]), [
      ["raised 2"],
      ["cleared 2"],
      ["raised 2"],
      ["cleared 2"],
    ]);
  });

  it("are cleared if the flow knows them, whatever their severity is now", async () => {
    const isHigh = ({ severity }: Alert): boolean => severity === "HIGH";
    const { open } = await alertChanges([], [A, B], isHigh, NOW);
    const listed = [
      { ...A, severity: "HIGH", active: false },
      { ...closed, severity: "LOW" },
    ];
    const { changes: cleared } = await alertChanges(open, listed, isHigh, NOW);
    assert.deepEqual(
      cleared.map(({ change, alertKey }) => `${change} ${alertKey}`),
      ["cleared 2"],
    );
  });

  it("take no key from an open alert of the same name", async () => {
    const open = { siteId: "s", code: "E7", note: "new" };
    const over = { siteId: "s", code: "E7", note: "old", active: false };
    const [key] = await keysOf([], [open]);
    assert.deepEqual(await steps([over], [over, open], [over, { ...open, note: "newer" }]), [
      [],
      [`raised ${key}`],
      [`changed ${key}`],
    ]);
  });

  it("are told from a new alert of the same name", async () => {
    const first = { siteId: "s", code: "E7", note: "first", active: true };
    const second = { ...first, note: "second" };
    const [key] = await keysOf([], [first]);
    assert.deepEqual(await steps([first], [{ ...first, active: false }, second]), [
      [`raised ${key}`],
      [`raised ${key}#2`, `cleared ${key}`],
    ]);
  });

  it("are recognized without an id, too", async () => {
    const alert = { fault: 3 };
    const [raised, cleared] = await steps([alert], [{ ...alert, cleared: true }]);
    assert.deepEqual([raised?.length, cleared?.length], [1, 1]);
    assert.match(cleared?.[0] ?? "", /^cleared /);
  });
});

describe("alert keys", () => {
  for (const [name, count, text] of [
    ["very many alerts of the same name", 1500, ""],
    ["half a megabyte of alerts", 150, "for 5 min ".repeat(10)],
  ] as const)
    it(`are found for ${name} without holding the event loop`, async () => {
      const fields = Object.fromEntries(
        Array.from({ length: text ? 30 : 1 }, (_, field) => [`f${field}`, text]),
      );
      const alerts = Array.from({ length: count }, (_, level) => ({
        ...fields,
        f0: text && text + level,
        level,
      }));
      const next = alerts.map((alert) => ({ ...alert, level: -alert.level }));
      const watch = new TurnWatch();
      const { open } = await alertChanges([], alerts, all, NOW);
      const keys = await keysOf(open, next);
      const longest = watch.longest();
      watch.stop();
      assert.equal(new Set(keys).size, count);
      assert.ok(longest < 400, `${longest} ms`);
    });

  it("are not those of another alert that is known", async () => {
    const numbered = await keep([{ id: "1" }, { id: "1", level: 2 }]);
    assert.deepEqual(
      (await changesAfter(numbered.slice(1), [{ id: "1#2" }])).map(({ change }) => change),
      ["raised", "cleared"],
    );
  });
});
