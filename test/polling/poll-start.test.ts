// Tests for polls whose clock is wrong, or that start long ago: no record is lost, and few requests are needed.
import assert from "node:assert/strict";
import { MINUTE } from "../../src/time-units";
import type { ModelRecord } from "./model-series";
import { DAY, expected, givenUp, ModelTime, noon, records, REFUSED, sorted, starts } from "./model-time";

describe("a poll", () => {
  // Weeks of polls: nothing waits, but a loaded machine computes for seconds.
  let time: ModelTime;

  beforeEach(() => {
    time = new ModelTime();
  });

  describe("by a clock that is wrong", () => {
    it("loses nothing when it was ten days ahead for one run", async () => {
      let real = noon;
      const series = await time.started(records(0, 60), {}, () => real);
      const tick = (minutes: number): void => {
        time.pass(minutes);
        real += minutes * MINUTE;
      };
      tick(10);
      await series.run(false);
      time.now += 10 * DAY;
      tick(5);
      await series.run(false);
      time.now -= 10 * DAY;
      for (let runs = 0; runs < 10; runs += 1) {
        tick(5);
        await series.run(false);
      }
      assert.deepEqual(starts(series), expected(0, 60));
    });

    it("loses nothing when it was ahead at the very first run", async () => {
      let real = noon + 10 * MINUTE;
      const series = time.seriesOf(records(0, 60), { startBefore: undefined }, () => real);
      time.now = real + 10 * DAY;
      await series.run(false);
      // Right again by the second run, for which several records have come.
      for (const minutes of [20, ...Array.from({ length: 6 }, () => 5)]) {
        real += minutes * MINUTE;
        time.now = real;
        time.elapsed += minutes * MINUTE;
        await series.run(false);
      }
      assert.deepEqual(starts(series).slice(-10), expected(10, 60));
    });

    it("loses nothing when it was far behind, then far ahead", async () => {
      let real = noon;
      const uploaded = [3624, 3627, 3630, 6513, 6516, 6519];
      const series = await time.started(uploaded.map(threeMinutes), { gapHorizon: 60 * DAY }, () => real);
      /** A run after so many minutes, by a clock that is so many minutes ahead. Messages trigger runs while it is wrong. */
      const runAfter = async (minutes: number, ahead: number): Promise<void> => {
        real += minutes * MINUTE;
        time.elapsed += minutes * MINUTE;
        time.now = real + ahead * MINUTE;
        await series.run(ahead !== 0);
      };
      // Nine days behind: the start seems to lie in the future, and moves back.
      await runAfter(1, -13_659);
      await runAfter(3601, -13_659);
      await runAfter(1, -2140);
      // Eight days ahead: what is still to come seems to be silence, and becomes one long gap.
      await runAfter(1, 12_270);
      // Right again after the last upload. Among other gaps, the rest of the long one, eight days, is requested every two hours.
      await runAfter(13_706, 0);
      for (let runs = 0; runs < 4 * 48; runs += 1) await runAfter(30, 0);
      assert.deepEqual(sorted(starts(series)), uploaded);
      assert.deepEqual(series.notices, []);
    });
  });

  it("takes one request for the last day, although time passes meanwhile", async () => {
    const series = time.seriesOf(records(-2 * 1440, 10), { startBefore: DAY }, () => (time.now += 20));
    // Seven minutes past: the newest record ended two minutes ago.
    time.pass(7);
    await series.run();
    assert.deepEqual([series.sent.length, series.requests], [288, 1]);
  });

  describe("from a start long ago", () => {
    it("finds out in a few requests where the records begin", async () => {
      const kept = records(-15 * 1440, 0);
      const series = time.seriesOf(kept, { startBefore: 365 * DAY });
      await series.run();
      assert.equal(series.sent.length, kept.length);
      assert.ok(series.requests < 15 + 25, `${series.requests} requests in the first run`);
      for (let runs = 0; runs < 10; runs += 1) {
        const before = series.requests;
        time.pass(5);
        await series.run();
        assert.ok(series.requests - before <= 3, `${series.requests - before} requests in run ${runs}`);
      }
    });

    it("does so, too, if older windows are refused", async () => {
      const kept = records(-10 * 1440, 0);
      const series = time.seriesOf(kept, { startBefore: 365 * DAY });
      series.poison.set({ start: noon - 366 * DAY, end: noon - 10 * DAY }, REFUSED);
      for (let runs = 0; runs < 3; runs += 1) await series.run().catch(() => undefined);
      assert.equal(series.sent.length, kept.length);
    });

    it("finds the first record of a day of which only the end is kept, if the rest is refused", async () => {
      const kept = records(-20 * 1440 + 500, 0);
      const series = time.seriesOf(kept, { startBefore: 365 * DAY });
      series.poison.set({ start: noon - 366 * DAY, end: noon - (20 * 1440 - 500) * MINUTE }, REFUSED);
      await series.run();
      assert.ok(
        kept.length - series.sent.length <= 1,
        `${kept.length - series.sent.length} records are missing`,
      );
      assert.ok(series.requests < 20 + 35, `${series.requests} requests`);
    });

    it("does not give up what it has not requested yet", async () => {
      // Not among the days by which the begin is searched, nor those that take turns in three days of runs.
      const kept = [...records(-25 * 1440, -20 * 1440), ...records(-5 * 1440, 0)];
      const series = time.seriesOf(kept, { startBefore: 120 * DAY });
      await series.run();
      for (let hours = 0; hours < 8 * 24; hours += 1) {
        time.pass(60);
        await series.run(false);
      }
      assert.equal(series.sent.length, kept.length);
      assert.equal(
        givenUp(series).some(([start = 0, end = 0]) => start < -22 * 1440 && end > -22 * 1440),
        false,
      );
    });

    it("sends those of days that the search skipped, although gaps are not filled", async () => {
      const kept = [...records(-25 * 1440, -24 * 1440), ...records(-1440, 0)];
      const series = time.seriesOf(kept, { startBefore: 120 * DAY, fillsGaps: false });
      await series.run();
      assert.ok(series.sent.length < kept.length);
      await time.watch(series, 8 * 1440, 60);
      assert.equal(series.sent.length, kept.length);
    });

    it("begins on a whole millisecond, whatever the setting", async () => {
      const series = time.seriesOf(records(-60, 0), { startBefore: 30 * MINUTE + 0.9 });
      await series.run();
      const { gaps } = JSON.parse(series.stored ?? "{}") as { gaps?: unknown[] };
      assert.deepEqual(gaps, []);
    });
  });
});

/** A record that begins so many minutes after noon. */
function threeMinutes(minute: number): ModelRecord {
  const start = noon + minute * MINUTE;
  const end = start + 3 * MINUTE;
  return { start, end, published: end };
}
