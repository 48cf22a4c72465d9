// Tests for what a poll does when silence, gaps, records and windows go wrong: nothing is lost, and nothing stands still.
import assert from "node:assert/strict";
import { HOUR, MINUTE, type TimeWindow } from "../../src/time-units";
import { type ModelRecord, NO_ANSWER } from "./model-series";
import { DAY, expected, givenUp, ModelTime, noon, records, REFUSED, sorted, starts } from "./model-time";

describe("a poll", () => {
  // Days of polls: nothing waits, but a loaded machine computes for seconds.
  let time: ModelTime;

  beforeEach(() => {
    time = new ModelTime();
  });

  describe("after a long silence", () => {
    it("delivers what is uploaded after the first run that found nothing", async () => {
      const fiveDays = (5 * DAY) / MINUTE;
      const uploaded = fiveDays + 20;
      const series = await time.started([
        ...records(0, 10),
        ...records(fiveDays - 2 * 1440, fiveDays, uploaded),
      ]);
      await time.watch(series, 10);
      // Site and Node-RED are off for five days.
      time.now = noon + fiveDays * MINUTE;
      series.restart();
      await series.run(false);
      await time.watch(series, 60);
      assert.deepEqual(sorted(starts(series)), [...expected(0, 10), ...expected(fiveDays - 2880, fiveDays)]);
      assert.deepEqual(series.notices, []);
    });

    it("gives it up once it has been requested over gapHours, with the interval told once, and goes on", async () => {
      const series = await time.started([...records(0, 10), ...records(7 * 1440, 7 * 1440 + 10)]);
      await time.watch(series, 10);
      await time.watch(series, 5 * 1440, 60);
      const told = givenUp(series);
      assert.deepEqual(told[0]?.[0], 10);
      assert.ok(told.every((window, index) => index === 0 || window[0] === told[index - 1]?.[1]));
      const { cursor } = JSON.parse(series.stored ?? "") as { cursor: string };
      assert.equal((Date.parse(cursor) - noon) / MINUTE, told.at(-1)?.[1]);
      // Over 72 hours passed since this was first noticed, half a day after it began.
      assert.ok(Date.parse(cursor) <= time.now - 72 * HOUR);
      await time.watch(series, 2 * 1440 + 10, 10);
      assert.deepEqual(starts(series), [...expected(0, 10), ...expected(7 * 1440, 7 * 1440 + 10)]);
    });

    it("gives it up in runs a day apart, too, although it has grown by each of them", async () => {
      const series = await time.started([...records(0, 10), ...records(20 * 1440, 20 * 1440 + 10)]);
      await time.watch(series, 10);
      await time.watch(series, 15 * 1440, 1440);
      assert.ok(givenUp(series).length > 0);
    });

    it("requests what it gave up once more when records come back, and loses nothing that was uploaded then", async () => {
      const week = 7 * 1440;
      const back = [...records(10, week - 1440, week), ...records(week, week + 5 * 1440)];
      for (const fillsGaps of [true, false]) {
        time = new ModelTime();
        const series = await time.started([...records(0, 10), ...back], { fillsGaps });
        await time.watch(series, week, 60);
        const told = givenUp(series);
        assert.ok(told.length > 0);
        await time.watch(series, 60);
        assert.deepEqual(sorted(starts(series)), [...expected(0, week - 1440), ...expected(week, week + 60)]);
        // It was told before, and is not told again.
        await time.watch(series, 4 * 1440, 60);
        const last = told.at(-1)?.[1] ?? 0;
        assert.ok(
          givenUp(series)
            .slice(told.length)
            .every(([start = 0]) => start >= last),
        );
      }
    });

    it("costs one request in most runs", async () => {
      const series = await time.started(records(0, 10));
      await time.watch(series, 10);
      await time.watch(series, 5 * 1440, 60);
      const before = series.requests;
      await time.watch(series, 1440);
      assert.ok(series.requests - before < 288 * 1.6, `${series.requests - before} requests in 288 runs`);
    });
  });

  describe("after ten days without records", () => {
    const TEN = 10 * 1440;
    /** Enough for a turn of each day. */
    const RUNS = 12;

    /** In runs so many hours apart, after which the site works again; an hour of one day arrives only after the first run. */
    async function isDelivered(day: number, hours: number, after: ModelRecord[]): Promise<boolean> {
      const late = records(day * 1440, day * 1440 + 60, TEN + 60);
      const days = new ModelTime();
      const series = await days.started([...records(0, 10), ...late, ...after]);
      days.pass(10);
      await series.run(false);
      days.pass(TEN - 10 + 5);
      for (let runs = 0; runs < RUNS; runs += 1) {
        await series.run(false);
        const sent = new Set(starts(series));
        if (late.every(({ start }) => sent.has((start - noon) / MINUTE))) return true;
        days.pass(hours * 60);
      }
      return false;
    }

    // The day to request must not follow from the time: with as many days as hours between runs, it would be the same in each,
    // and with a common divisor, the same few.
    for (const hours of [1, 9, 24]) {
      it(`delivers what is uploaded late for any of them, in runs ${hours} h apart`, async () => {
        const after = records(TEN, TEN + RUNS * hours * 60);
        for (let day = 1; day < 10; day += 1)
          assert.ok(await isDelivered(day, hours, after), `day ${day} is missing`);
      });
    }

    it("gives them up only once it has requested each of them again after gapHours", async () => {
      const series = await time.started([...records(0, 10), ...records(TEN, TEN + 40 * 1440)]);
      time.pass(10);
      await series.run(false);
      time.pass(TEN - 10 + 5);
      await series.run(false);
      const noticed = time.now;
      const asked: TimeWindow[] = [];
      while (series.notices.length === 0) {
        time.pass(1440);
        series.answered.splice(0);
        await series.run(false);
        if (time.now - noticed >= 72 * HOUR) asked.push(...series.answered);
      }
      assert.deepEqual(givenUp(series), [[10, TEN]]);
      for (let minute = 10; minute < TEN; minute += 5) {
        const at = noon + minute * MINUTE;
        assert.ok(
          asked.some(({ start, end }) => start <= at && at < end),
          `minute ${minute} was not requested`,
        );
      }
    });
  });

  describe("with a gap", () => {
    const model = (): ModelRecord[] => [...records(0, 10), ...records(10, 20, 6 * 1440), ...records(20, 30)];

    it("requests it after Node-RED was off, however long, before giving up", async () => {
      const series = await time.started([...records(0, 10), ...records(10, 20, 80 * 60), ...records(20, 30)]);
      await time.watch(series, 60);
      time.now += 80 * HOUR;
      series.restart();
      await time.watch(series, 120);
      assert.deepEqual(sorted(starts(series)), expected(0, 30));
    });

    it("does not count the time in which the service is down", async () => {
      const series = await time.started(model());
      await time.watch(series, 60);
      series.isDown = true;
      for (let hours = 0; hours < 100; hours += 1) {
        time.pass(60);
        await series.run(false).catch((error: unknown) => assert.equal(error, NO_ANSWER));
      }
      series.isDown = false;
      await time.watch(series, 60);
      assert.deepEqual(series.notices, []);
    });

    it("gives it up after gapHours of asking, and tells it once", async () => {
      const series = await time.started(model());
      await time.watch(series, 60);
      await time.watch(series, 71 * 60, 30);
      assert.deepEqual(series.notices, []);
      await time.watch(series, 4 * 60, 30);
      const told = givenUp(series);
      // The silence since then is not over yet.
      assert.deepEqual(told, [[10, 20]]);
    });

    it("tolerates seams: records that end a second before the next begins", async () => {
      const model = records(0, 1440).map((record) => ({ ...record, end: record.end - 1000 }));
      const series = await time.started(model);
      await time.watch(series, 1440);
      assert.equal(series.sent.length, 288);
      assert.ok((series.stored ?? "").length < 1024);
      const before = series.requests;
      await series.run(false);
      assert.equal(series.requests - before, 1);
    });
  });

  describe("with a record that cannot be read", () => {
    it("sends the others, tells of it, and sends it when it can be read", async () => {
      const series = await time.started(records(0, 120));
      series.unreadable.add(noon + 10 * MINUTE);
      const failures: unknown[] = [];
      for (let minute = 0; minute < 60; minute += 5) {
        time.pass(5);
        await series.run(false).catch((error: unknown) => failures.push(error));
      }
      // While there is nothing else.
      assert.equal(failures.length, 1);
      assert.deepEqual(starts(series), [...expected(0, 10), ...expected(15, 60)]);
      assert.ok(series.notices.length > 0 && series.notices.every(({ kind }) => kind === "unreadable"));
      series.unreadable.clear();
      await time.watch(series, 60);
      assert.deepEqual(sorted(starts(series)), expected(0, 120));
    });
  });

  describe("with a window that fails by itself", () => {
    const poisoned = { start: noon + 30 * MINUTE, end: noon + 35 * MINUTE };

    it("goes on with later records, tells of it, and requests it again", async () => {
      const series = await time.started(records(0, 240));
      series.poison.set(poisoned, REFUSED);
      const failures: unknown[] = [];
      for (let minute = 0; minute < 120; minute += 5) {
        time.pass(5);
        await series.run(false).catch((error: unknown) => failures.push(error));
      }
      // While the present itself fails.
      assert.deepEqual(failures, [REFUSED, REFUSED]);
      assert.deepEqual(
        starts(series),
        expected(0, 120).filter((start) => start !== 30),
      );
      assert.ok(series.notices.length > 0 && series.notices.every(({ kind }) => kind === "failing"));
      series.poison.clear();
      await time.watch(series, 65);
      assert.deepEqual(sorted(starts(series)), expected(0, 185));
    });

    it("reads the rest of a day with a bad moment", async () => {
      const series = await time.started(records(0, 1440));
      series.poison.set(poisoned, REFUSED);
      time.pass(1440);
      await series.run();
      assert.deepEqual(
        starts(series),
        expected(0, 1440).filter((start) => start !== 30),
      );
      assert.ok(series.requests < 45, `${series.requests} requests`);
    });

    it("finds every readable record between several bad moments, in a few runs", async () => {
      const bad = [100, 105, 400, 700, 705, 1100, 1300, 1390];
      const series = await time.started(records(0, 1440));
      for (const minute of bad)
        series.poison.set({ start: noon + minute * MINUTE, end: noon + (minute + 5) * MINUTE }, REFUSED);
      time.pass(1440);
      await series.run().catch(() => undefined);
      for (let runs = 0; runs < 12; runs += 1) {
        time.pass(10);
        await series.run();
      }
      assert.deepEqual(
        sorted(starts(series)).filter((start) => start < 1440),
        expected(0, 1440).filter((start) => !bad.includes(start)),
      );
    });

    it("costs few requests where a whole range fails", async () => {
      const series = await time.started(records(0, 1440 + 600));
      series.poison.set({ start: noon, end: noon + 1440 * MINUTE }, REFUSED);
      time.pass(1440 + 300);
      await series.run().catch(() => undefined);
      await time.watch(series, 300);
      const before = series.requests;
      for (let runs = 0; runs < 10; runs += 1) {
        time.pass(5);
        await series.run();
      }
      assert.ok(series.requests - before < 10 * 16, `${series.requests - before} requests in 10 runs`);
      assert.deepEqual(sorted(starts(series)), expected(1440, 1440 + 600));
    });

    it("fails without narrowing while nothing is answered", async () => {
      const series = await time.started(records(0, 1440));
      await time.watch(series, 30);
      series.isDown = true;
      for (let runs = 0; runs < 3; runs += 1) {
        time.pass(5);
        const before = series.requests;
        await assert.rejects(series.run(false), NO_ANSWER);
        assert.ok(series.requests - before <= 2);
      }
      assert.deepEqual(series.notices, []);
    });
  });

  it("never sends a record that begins in the future, and waits for the end of one in progress", async () => {
    const early = records(0, 20).map((record) => ({ ...record, published: noon }));
    const series = await time.started(early);
    time.pass(7);
    await series.run();
    assert.deepEqual(starts(series), [0]);
    time.pass(13);
    await series.run();
    assert.deepEqual(starts(series), expected(0, 20));
  });

  it("gives a cursor that a flow can start from if the service writes times without offset", async () => {
    const changes = { startTime: "2026-06-01T12:00:00", endTime: "2026-06-01T12:05:00" };
    const series = await time.started(records(0, 5).map((record) => ({ ...record, changes })));
    time.pass(5);
    await series.run();
    assert.equal(series.sent[0]?.due.cursor, "2026-06-01T12:05:00.000Z");
  });

  it("keeps its ledger under 1 KiB while all is well", async () => {
    const healthy = await time.started(records(0, 1440));
    await time.watch(healthy, 1440);
    assert.ok((healthy.stored ?? "").length < 1024);
  });
});
