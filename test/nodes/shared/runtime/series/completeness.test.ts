// Tests for late and revised data: gaps are retried, and changed records are sent again.
import assert from "node:assert/strict";
import { MINUTE } from "../../../../../src/time-units";
import { endsOf, expectedEnds, NOW, Polling } from "../../../../support/polling";

const HOUR = 60 * MINUTE;

const DEFAULTS = { siteId: "demo-house", startFrom: "hours", startHours: 2 };

describe("telemetry poll: late data", () => {
  let polling: Polling;

  beforeEach(async () => {
    polling = await Polling.open("energy-telemetry-poll", DEFAULTS, { holdsTimers: true });
  });
  afterEach(() => polling.close());

  /** Hides the records that end in (from, to] minutes before NOW. */
  const hide = (from: number, to: number): void =>
    polling.service.hideRecords((_site, _system, { endTime }) => {
      const before = (NOW - Date.parse(endTime)) / MINUTE;
      return before <= from && before > to;
    });
  const phases = (): string[] => polling.sent().map(({ energy }) => energy.phase);
  const late = (): number[] => endsOf(polling.sent().filter(({ energy }) => energy.phase === "late"));

  it("fills a gap between two records, in order, as late", async () => {
    hide(62, 30);
    await polling.start();
    await polling.poll();
    const first = polling.sent().length;
    assert.equal(first, 24 - 7);
    polling.service.hideRecords(undefined);
    await polling.poll();
    assert.deepEqual(late(), expectedEnds(NOW - 62 * MINUTE - 1, NOW - 32 * MINUTE));
    assert.equal(polling.sent().length, 24);
    const { startTime, endTime } = polling.queries().at(-1) ?? {};
    assert.equal(startTime, "2026-06-10T09:00:00.000Z");
    assert.equal(endTime, "2026-06-10T09:35:00.000Z");
  });

  it("keeps retrying the rest of a gap, and stops once it is filled", async () => {
    hide(62, 30);
    await polling.start();
    await polling.poll();
    hide(50, 30);
    await polling.poll();
    polling.service.hideRecords(undefined);
    await polling.poll();
    assert.equal(polling.sent().length, 24);
    const before = polling.queries().length;
    await polling.poll();
    assert.equal(polling.queries().length, before + 1);
    assert.equal(polling.sent().length, 24);
  });

  it("sends a record that extends into the gap after it as revised, however long ago it was sent", async () => {
    const hole = { start: "2026-06-10T09:00", end: "2026-06-10T09:35" };
    polling.service.hideRecords(
      (_site, _system, { startTime }) => startTime >= hole.start && startTime < hole.end,
    );
    await polling.start();
    await polling.poll();
    const before = polling.sent().find(({ energy }) => energy.endTime === "2026-06-10T09:00:00.000Z");
    polling.at(180);
    await polling.poll();
    polling.service.changeRecords((_site, _system, record) =>
      record.endTime === "2026-06-10T09:00:00.000Z"
        ? { ...record, endTime: "2026-06-10T09:10:00.000Z" }
        : record,
    );
    await polling.poll();
    const grown = polling.sent().filter(({ energy }) => energy.recordId === before?.energy.recordId);
    assert.deepEqual(
      grown.map(({ energy }) => energy.phase),
      ["catchup", "revised"],
    );
  });

  it("requests gaps that are far apart separately", async () => {
    polling.service.hideRecords((_site, _system, { endTime }) => {
      const before = (NOW - Date.parse(endTime)) / MINUTE;
      return (before <= 62 && before > 52) || (before <= 302 && before > 292);
    });
    await polling.start({ startHours: 6 });
    await polling.poll();
    await polling.poll();
    const lastQueries = polling.queries().slice(-2);
    assert.deepEqual(
      lastQueries.map(({ startTime, endTime }) => [startTime?.slice(11, 16), endTime?.slice(11, 16)]),
      [
        ["05:00", "05:10"],
        ["09:00", "09:10"],
      ],
    );
  });

  it("remembers a gap across a restart", async () => {
    hide(62, 30);
    await polling.start();
    await polling.poll();
    polling.service.hideRecords(undefined);
    await polling.restart();
    await polling.poll();
    assert.deepEqual(
      phases(),
      Array.from({ length: 7 }, () => "late"),
    );
  });

  it("gives up a gap after gapHours", async () => {
    hide(62, 30);
    await polling.start({ gapHours: 1 });
    await polling.poll();
    // A pause counts for half of gapHours at most: one empty answer gives nothing up.
    for (const minutes of [61, 31]) {
      await polling.advance(minutes * 60);
      await polling.poll();
    }
    polling.service.hideRecords(undefined);
    await polling.poll();
    assert.deepEqual(late(), []);
  });

  it("does not request gaps if gap filling is off", async () => {
    hide(62, 30);
    await polling.start({ fillGaps: false });
    await polling.poll();
    polling.service.hideRecords(undefined);
    await polling.poll();
    assert.deepEqual(late(), []);
    assert.equal(polling.queries().length, 2);
  });

  it("retries a gap on every message", async () => {
    hide(62, 30);
    await polling.start();
    await polling.poll();
    await polling.poll();
    await polling.poll();
    assert.equal(polling.queries().length, 1 + 2 + 2);
  });

  it("retries a gap on a schedule at growing intervals", async () => {
    hide(62, 30);
    await polling.start({ repeat: 5 });
    // To the next full five minutes; runs start a few seconds later.
    await polling.advance(3 * 60);
    const retryMinutes: number[] = [];
    let known = 0;
    for (let minutes = 0; minutes < 2 * 60; minutes += 5) {
      await polling.advance(20);
      const newQueries = polling.queries().slice(known);
      known += newQueries.length;
      if (newQueries.some(({ startTime }) => startTime === "2026-06-10T09:00:00.000Z"))
        retryMinutes.push(minutes);
      await polling.advance(280);
    }
    const pauses = retryMinutes.slice(1).map((minutes, index) => minutes - (retryMinutes[index] ?? 0));
    // 10, 20 and 40 minutes; each retry waits for the next run.
    assert.deepEqual(pauses, [15, 25, 45]);
  });

  it("does not send a late record to output 2", async () => {
    hide(62, 30);
    await polling.start();
    await polling.poll();
    polling.service.hideRecords(undefined);
    await polling.poll();
    assert.equal(polling.sent(2).length, 1);
  });

  it("requests a gap of days in windows of at most 24 hours", async () => {
    hide(70 * 60, 30);
    await polling.start({ startHours: 75 });
    await polling.poll();
    polling.service.hideRecords(undefined);
    await polling.poll();
    assert.equal(polling.sent().length, 75 * 12);
    assert.deepEqual(endsOf(polling.sent()).toSorted(), expectedEnds(NOW - 75 * HOUR, NOW));
  });

  describe("with a look-back", () => {
    const revise = (from: number): void =>
      polling.service.changeRecords((_site, _system, record) =>
        (NOW - Date.parse(record.endTime)) / MINUTE <= from ? { ...record, solar: null } : record,
      );

    it("sends records that changed within the look-back once, as revised, with the same id", async () => {
      await polling.start({ lookBack: 30 });
      await polling.poll();
      const ids = new Map(polling.sent().map(({ energy }) => [energy.endTime, energy.recordId]));
      revise(22);
      await polling.poll();
      await polling.poll();
      const revised = polling.sent().slice(24);
      assert.deepEqual(endsOf(revised), expectedEnds(NOW - 22 * MINUTE - 1, NOW));
      for (const { energy, payload } of revised) {
        assert.equal(energy.phase, "revised");
        assert.equal(energy.recordId, ids.get(energy.endTime));
        assert.equal(payload.solar, null);
      }
    });

    it("does not resend unchanged records", async () => {
      await polling.start({ lookBack: 60 });
      await polling.poll();
      await polling.poll();
      assert.equal(polling.sent().length, 24);
    });

    it("does not resend records that are only formatted differently", async () => {
      await polling.start({ lookBack: 60 });
      await polling.poll();
      polling.service.changeRecords((_site, _system, { startTime, ...rest }) => {
        const reversed = Object.fromEntries(Object.entries(rest).toReversed()) as typeof rest;
        return { ...reversed, startTime: startTime.replace("Z", "+00:00") };
      });
      await polling.poll();
      assert.equal(polling.sent().length, 24);
    });

    it("ignores older changes, and all of them without a look-back", async () => {
      await polling.start({ lookBack: 10 });
      await polling.poll();
      revise(60);
      await polling.poll();
      // The records that overlap the last ten minutes before the cursor.
      assert.equal(polling.sent().length, 24 + 2);
      await polling.restart({ lookBack: 0 });
      await polling.poll();
      assert.equal(polling.sent().length, 0);
    });

    it("remembers sent records across a restart, and repeats none when the look-back is extended", async () => {
      await polling.start({ lookBack: 30 });
      await polling.poll();
      await polling.restart({ lookBack: 120 });
      await polling.poll();
      assert.equal(polling.sent().length, 0);
    });
  });

  it("makes a single request if nothing is missing", async () => {
    await polling.start();
    await polling.poll();
    const before = polling.service.requests.length;
    polling.at(5);
    await polling.poll();
    assert.equal(polling.service.requests.length, before + 1);
  });
});
