// Tests that what a poll gives up, skips, cannot read or corrects is told once: in the log or at the catch node, and in the status.
import assert from "node:assert/strict";
import { timeSpan } from "../../../../../nodes/shared/runtime/base/status";
import { isInWindow, MINUTE } from "../../../../../src/time-units";
import { endsOf, expectedEnds, NOW, Polling, type SentRecord } from "../../../../support/polling";

/** Seconds in which a scheduled run has started: runs keep a small offset from the full five minutes. */
const OFFSET = 20;

for (const [trigger, repeat] of [
  ["message", 0],
  ["schedule", 5],
] as const) {
  describe(`a poll that runs by ${trigger} tells once`, () => {
    // Hours of runs with real requests.
    let polling: Polling;

    const open = async (properties: object = {}, serviceAhead = 0): Promise<void> => {
      const defaults = { siteId: "demo-house", startFrom: "hours", startHours: 2, repeat, ...properties };
      polling = await Polling.open("energy-telemetry-poll", defaults, { holdsTimers: true, serviceAhead });
      await polling.start();
      // To the full five minutes.
      await polling.advance(3 * 60);
    };
    afterEach(() => polling.close());

    /** Runs the poll, every five minutes. */
    const run = async (count: number): Promise<void> => {
      for (let runs = 0; runs < count; runs += 1) {
        if (trigger === "message") polling.node.input({ payload: "go" });
        await polling.advance(OFFSET);
        await polling.advance(5 * 60 - OFFSET);
      }
    };
    const warnings = (pattern: RegExp): string[] => polling.node.logged().match(pattern) ?? [];
    const statuses = (start: string): string[] =>
      polling.node.statuses().filter((status) => status.startsWith(start));
    const errors = (): string[] => polling.node.caughtSoFar().map(({ error }) => error.message);
    /** Checks how many messages were done without an error. */
    const assertCompleted = (runs: number): void =>
      assert.equal(polling.node.completedSoFar().length, trigger === "message" ? runs : 0);
    /** The ends of all records of `minutes`, apart from the missing ones. */
    const expected = (minutes: number, ...missing: number[]): number[] =>
      expectedEnds(NOW - 2 * 60 * MINUTE + 3 * MINUTE, NOW + minutes * MINUTE).filter(
        (end) => !missing.includes(end),
      );
    const sortedEnds = (records: SentRecord[] = polling.sent()): number[] =>
      endsOf(records).toSorted((a, b) => a - b);

    it("that a gap was given up, after a fraction of an hour", async () => {
      await open({ gapHours: 0.5 });
      const gap = { start: Date.UTC(2026, 5, 10, 9, 0), end: Date.UTC(2026, 5, 10, 9, 35) };
      const missing = expectedEnds(gap.start, gap.end);
      polling.service.hideRecords((_site, _system, { endTime }) => missing.includes(Date.parse(endTime)));
      await run(6);
      assert.deepEqual([warnings(/Gave up/g), statuses("gap given up")], [[], []]);
      await run(8);
      assert.deepEqual(warnings(/Gave up[^"]*/g), [
        "Gave up a gap of demo-house/demo-house-1 from 2026-06-10T09:00:00.000Z to 2026-06-10T09:35:00.000Z: no records came. Try history later.",
      ]);
      assert.deepEqual(statuses("gap given up"), [`gap given up: ${timeSpan(gap)}`]);
      assert.match(polling.node.statuses().at(-1) ?? "", /1 record$/);
      assert.deepEqual(endsOf(polling.sent()), expected(14 * 5 - 2, ...missing));
      assert.deepEqual(errors(), []);
      assertCompleted(14);
    });

    it("that one window fails while others do not", async () => {
      await open();
      const bad = { start: Date.UTC(2026, 5, 10, 9, 0), end: Date.UTC(2026, 5, 10, 9, 10) };
      polling.service.fault({
        path: /telemetry$/,
        fits: ({ query: { startTime = "", endTime = "" } }) =>
          isInWindow(bad, { start: Date.parse(startTime), end: Date.parse(endTime) }),
        times: Number.POSITIVE_INFINITY,
        status: 400,
      });
      await run(5);
      const [first, ...others] = errors();
      const [text = "", from = "", to = ""] = /No response for (\S+) to (\S+); later/.exec(first ?? "") ?? [];
      const span = { start: Date.parse(from), end: Date.parse(to) };
      // As close as a record is long.
      assert.ok(span.start <= bad.start && span.start > bad.start - 5 * MINUTE, text);
      assert.ok(span.end >= bad.end && span.end < bad.end + 5 * MINUTE, text);
      assert.deepEqual(others, []);
      assert.deepEqual(
        polling.node.caughtSoFar().map(({ energy }) => [energy.error.code, energy.error.statusCode]),
        [["ENERGY_HTTP", 400]],
      );
      assert.deepEqual(statuses("service error"), []);
      assert.deepEqual(statuses("skipped"), [`skipped: ${timeSpan(span)}`]);
      const skipped = expectedEnds(bad.start, bad.end);
      assert.deepEqual(endsOf(polling.sent()), expected(5 * 5 - 2, ...skipped));
      assertCompleted(5);
      polling.service.clearFaults();
      await run(7);
      assert.deepEqual(sortedEnds(), expected(12 * 5 - 2));
      assert.equal(errors().length, 1);
      assertCompleted(12);
    });

    it("that a record cannot be read, and sends it once it can be", async () => {
      await open();
      const bad = Date.UTC(2026, 5, 10, 9, 5);
      polling.service.changeRecords((_site, _system, record) =>
        Date.parse(record.endTime) === bad ? Object.assign({}, record, { endTime: null }) : record,
      );
      await run(3);
      assert.deepEqual(errors(), [
        "data[10].endTime is not a time (it is null). Tell your provider. (Telemetry response)",
      ]);
      const [{ energy, ...caught } = assert.fail()] = polling.node.caughtSoFar();
      assert.equal(energy.error.code, "ENERGY_RESPONSE");
      assert.equal("siteId" in caught && caught.siteId, "demo-house");
      assert.deepEqual(statuses("unreadable"), ["unreadable record"]);
      assert.deepEqual(endsOf(polling.sent()), expected(3 * 5 - 2, bad));
      assertCompleted(3);
      polling.service.changeRecords(undefined);
      await run(7);
      assert.deepEqual(sortedEnds(), expected(10 * 5 - 2));
      const late = polling.sent().filter((record) => record.energy.phase === "late");
      assert.deepEqual(endsOf(late), [bad]);
      assert.equal(errors().length, 1);
      assertCompleted(10);
    });

    it("of each of several records that cannot be read", async () => {
      await open();
      const first = Date.UTC(2026, 5, 10, 9, 5);
      const bad = Array.from({ length: 8 }, (_, index) => first + index * 5 * MINUTE);
      polling.service.changeRecords((_site, _system, record) =>
        bad.includes(Date.parse(record.endTime)) ? Object.assign({}, record, { endTime: null }) : record,
      );
      await run(3);
      assert.deepEqual(
        errors().map((text) => /^data\[\d+\]/.exec(text)?.[0]),
        bad.map((_, index) => `data[${10 + index}]`),
      );
      assert.deepEqual(endsOf(polling.sent()), expected(3 * 5 - 2, ...bad));
      assertCompleted(3);
    });

    it("that the clock is wrong", async () => {
      await open({}, 3 * 60 * MINUTE);
      await run(3);
      assert.deepEqual(warnings(/The clock is[^"]*/g), [
        "The clock is 3 h behind. Times now follow the service. Set the clock (NTP).",
      ]);
      assert.deepEqual(statuses("clock"), ["clock 3 h behind"]);
      assert.deepEqual(endsOf(polling.sent()), expected(3 * 5 - 2));
      assert.deepEqual(errors(), []);
      assertCompleted(3);
    });

    it("that the clock is wrong, although its first run tells of a record", async () => {
      // Another difference than in the test before: all accounts of a process have one clock, which tells of each once.
      await open({}, 2 * 60 * MINUTE);
      const bad = Date.UTC(2026, 5, 10, 9, 5);
      polling.service.changeRecords((_site, _system, record) =>
        Date.parse(record.endTime) === bad ? Object.assign({}, record, { endTime: null }) : record,
      );
      await run(4);
      assert.deepEqual(
        polling.node.statuses().filter((status) => /^(clock|unreadable)/.test(status)),
        ["unreadable record", "clock 2 h behind"],
      );
      assert.equal(warnings(/The clock is/g).length, 1);
      assert.equal(errors().length, 1);
      assertCompleted(4);
    });
  });
}
