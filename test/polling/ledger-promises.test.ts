// Tests for what a poll owes: silence, breaks, records that come again, and records that overlap.
import assert from "node:assert/strict";
import { HOUR, MINUTE } from "../../src/time-units";
import type { ModelRecord, ModelSeries } from "./model-series";
import { DAY, expected, givenUp, ModelTime, noon, records, REFUSED, sorted, starts } from "./model-time";

const SECOND = 1000;

/** In minutes after noon. */
function one(start: number, end: number, published = end, withdrawn?: number): ModelRecord {
  const times = {
    start: noon + start * MINUTE,
    end: noon + end * MINUTE,
    published: noon + published * MINUTE,
  };
  return withdrawn === undefined ? times : { ...times, withdrawn: noon + withdrawn * MINUTE };
}

/** Start, end and phase of what was sent, in minutes after noon. */
function sentBy({ sent }: ModelSeries): [number, number, string][] {
  return sent.map(({ due }) => [(due.start - noon) / MINUTE, (due.end - noon) / MINUTE, due.phase]);
}

function storedCursor({ stored = "{}" }: ModelSeries): number {
  const { cursor = "" } = JSON.parse(stored) as { cursor?: string };
  return (Date.parse(cursor) - noon) / MINUTE;
}

describe("a poll", () => {
  // Days of polls: nothing waits, but a loaded machine computes for seconds.
  let time: ModelTime;

  beforeEach(() => {
    time = new ModelTime();
  });

  describe("through silence", () => {
    for (const hours of [2, 23.5, 33, 90])
      it(`of ${hours} h loses nothing of what is uploaded then, although gaps are not filled`, async () => {
        const over = hours * 60;
        const model = [...records(0, 10), ...records(10, over, over + 5), ...records(over, over + 60)];
        const series = await time.started(model, { fillsGaps: false });
        await time.watch(series, over + 60, 15);
        assert.deepEqual(sorted(starts(series)), expected(0, over + 60));
        assert.deepEqual(series.notices, []);
      });

    it("of 2 h is requested once more after the first record that comes back, although gaps are not filled", async () => {
      const model = [...records(0, 10), ...records(10, 120, 128), ...records(120, 180)];
      const series = await time.started(model, { fillsGaps: false });
      await time.watch(series, 180);
      assert.deepEqual(sorted(starts(series)), expected(0, 180));
    });

    it("of a month requests as a whole what is uploaded once records come back, also if that is more than a week", async () => {
      const month = 30 * 1440;
      const model = [...records(0, 10), ...records(1440, month, month + 5), ...records(month, month + 60)];
      const series = await time.started(model, { gapHorizon: 90 * DAY });
      await time.watch(series, month, 180);
      await time.watch(series, 60);
      assert.equal(series.sent.length, model.length);
    });

    it("of a month requests little, and keeps one interval", async () => {
      const series = await time.started(records(0, 10));
      await time.watch(series, 29 * 1440, 180);
      const before = series.requests;
      await time.watch(series, 1440);
      assert.ok(series.requests - before < 288 * 1.6, `${series.requests - before} requests in 288 runs`);
      assert.equal((JSON.parse(series.stored ?? "") as { gaps: unknown[] }).gaps.length, 1);
      const told = givenUp(series);
      assert.ok(told.every((window, index) => index === 0 || window[0] === told[index - 1]?.[1]));
    });

    it("puts no position beyond the last record, but for what it gave up", async () => {
      const series = await time.started(records(0, 10));
      for (let hours = 0; hours < 8 * 24; hours += 1) {
        await time.watch(series, 60, 60);
        assert.equal(storedCursor(series), givenUp(series).at(-1)?.[1] ?? Math.min(10, 60 * (hours + 1)));
      }
    });

    it("gives nothing up after one empty answer, however long there was no request before", async () => {
      const series = await time.started([...records(0, 5), ...records(10, 20), ...records(8000, 8060)]);
      await time.watch(series, 20);
      time.pass(5 * 1440);
      await series.run(false);
      assert.deepEqual(givenUp(series), []);
      time.pass(2 * 1440);
      await series.run(false);
      assert.deepEqual(givenUp(series), [[5, 10]]);
    });
  });

  it("notes no silence and gives nothing up by a time that is not sure", async () => {
    let real = noon;
    const series = await time.started(
      [...records(0, 10), ...records(15, 60)],
      { gapHorizon: HOUR },
      () => real,
    );
    await time.watch(series, 0);
    for (let minutes = 0; minutes < 180; minutes += 5) {
      real += 5 * MINUTE;
      time.pass(5);
      if (minutes === 30) {
        time.clock.isSure = false;
        time.now += 10 * DAY;
      }
      await series.run(false);
    }
    assert.deepEqual(givenUp(series), []);
    const { gaps } = JSON.parse(series.stored ?? "") as { gaps: unknown[] };
    assert.equal(gaps.length, 1);
    time.clock.isSure = true;
    time.now = real;
    await time.watch(series, 60);
    assert.deepEqual(starts(series), [...expected(0, 10), ...expected(15, 60)]);
  });

  describe("where an answer is missing", () => {
    it("stores that with its position, asks with growing pauses, and never gives it up", async () => {
      const series = await time.started(records(0, 5 * 1440));
      series.poison.set({ start: noon + 30 * MINUTE, end: noon + 35 * MINUTE }, REFUSED);
      for (let minute = 0; minute < 120; minute += 5) {
        time.pass(5);
        await series.run(false).catch(() => undefined);
      }
      for (let days = 0; days < 4; days += 1) {
        series.restart();
        const before = series.requests;
        await time.watch(series, 1440, 10);
        assert.ok(series.requests - before < 144 * 1.5, `${series.requests - before} requests in 144 runs`);
      }
      assert.deepEqual(givenUp(series), []);
      series.poison.clear();
      await time.watch(series, 130);
      assert.ok(starts(series).includes(30));
    });
  });

  it("does not count time without an answer before it gives up what turns out to be empty", async () => {
    const series = await time.started([...records(0, 30), ...records(35, 12 * 1440)]);
    series.poison.set({ start: noon + 30 * MINUTE, end: noon + 35 * MINUTE }, REFUSED);
    for (let hours = 0; hours < 4 * 24; hours += 1) {
      time.pass(60);
      await series.run(false).catch(() => undefined);
    }
    series.poison.clear();
    await time.watch(series, 70 * 60, 30);
    assert.deepEqual(givenUp(series), []);
    await time.watch(series, 5 * 60, 30);
    assert.deepEqual(givenUp(series), [[30, 35]]);
  });

  describe("between records", () => {
    const cut = (model: ModelRecord[], seconds: number): ModelRecord[] =>
      model.map((record) => ({ ...record, end: record.end - seconds * SECOND }));

    it("tolerates a break where every record ends that way", async () => {
      const series = await time.started(cut(records(0, 1440), 40));
      await time.watch(series, 1440);
      assert.equal(series.sent.length, 288);
      const { gaps } = JSON.parse(series.stored ?? "") as { gaps: unknown[] };
      assert.deepEqual(gaps, []);
    });

    it("retries a break of three seconds where others have none, until the record has its final form", async () => {
      const short = { ...one(60, 65, 65, 600), end: noon + 65 * MINUTE - 3 * SECOND };
      const model = [...records(0, 60), short, one(60, 65, 600), ...records(65, 800)];
      const series = await time.started(model);
      await time.watch(series, 800);
      const again = sentBy(series).filter(([, , phase]) => phase === "revised");
      assert.deepEqual(again, [[60, 65, "revised"]]);
      const [first, second] = series.sent.filter(({ due }) => due.start === noon + 60 * MINUTE);
      assert.equal(first?.recordId, second?.recordId);
    });

    it("delivers the records that a long one stood in for, and both that begin at one time", async () => {
      const gap = records(60, 180, 400);
      const series = await time.started([...records(0, 60), one(60, 180, 200), ...gap, ...records(180, 800)]);
      await time.watch(series, 800);
      const within = sentBy(series).filter(([start]) => start >= 60 && start < 180);
      assert.equal(within.length, 1 + gap.length);
      assert.equal(new Set(within.map((each) => each.slice(0, 2).join("-"))).size, 1 + gap.length);
      assert.deepEqual(series.notices, []);
    });

    it("does the same where the long one is the newest", async () => {
      const late = records(60, 120, 400);
      const series = await time.started([...records(0, 60), one(60, 120), ...late, ...records(120, 800)]);
      await time.watch(series, 800);
      assert.equal(sentBy(series).filter(([start]) => start >= 60 && start < 120).length, 1 + late.length);
    });

    it("tells nothing where a long record has no shorter ones", async () => {
      const series = await time.started([...records(0, 60), one(60, 120), ...records(120, 6 * 1440)]);
      await time.watch(series, 5 * 1440, 60);
      assert.deepEqual(series.notices, []);
      assert.deepEqual((JSON.parse(series.stored ?? "") as { gaps: unknown[] }).gaps, []);
    });

    for (const lookBack of [0, HOUR])
      it(`sends an hourly record and a short one with its start once each (look-back ${lookBack})`, async () => {
        const hourly = [0, 60, 120].map((start) => one(start, start + 60));
        const series = await time.started([...hourly, ...records(0, 300)], { lookBack });
        await time.watch(series, 300);
        const times = sentBy(series).map((each) => each.slice(0, 2).join("-"));
        assert.equal(new Set(times).size, times.length);
        assert.equal(times.length, 3 + 60);
      });
  });

  describe("within the look-back", () => {
    it("sends a record again that ends earlier now, and what follows it", async () => {
      const model = [...records(0, 10), one(10, 20, 20, 22), one(10, 15, 22), ...records(15, 20, 26)];
      const series = await time.started(model, { lookBack: HOUR });
      await time.watch(series, 25);
      assert.deepEqual(sentBy(series).slice(2), [
        [10, 20, "live"],
        [10, 15, "revised"],
      ]);
      assert.equal(storedCursor(series), 15);
      await time.watch(series, 10);
      assert.deepEqual(sentBy(series).at(-1)?.slice(0, 2), [15, 20]);
      assert.equal(series.sent.length, 5);
    });
  });

  it("remembers each gap of three days in which every other record is missing in less than 20 KiB, and repeats no record", async () => {
    const model = records(0, 3 * 1440).filter(({ end }) => (end / (5 * MINUTE)) % 2 === 0);
    const series = await time.started(model, { lookBack: 7 * DAY });
    for (let hours = 0; hours < 3 * 24; hours += 8) {
      await time.watch(series, 8 * 60, 8 * 60);
      assert.ok((series.stored ?? "").length < 20 * 1024, `${(series.stored ?? "").length} bytes`);
    }
    assert.equal(series.sent.length, model.length);
    assert.equal(new Set(starts(series)).size, series.sent.length);
  });

  it("stores less than 20 KiB although no two records are alike", async () => {
    const model: ModelRecord[] = [];
    let start = noon;
    for (let index = 0; index < 1500; index += 1) {
      const end = start + 5 * MINUTE + (index % 97) * 7;
      model.push({ start, end, published: end });
      start = end + (index % 89) * 13;
    }
    const series = await time.started(model, { lookBack: 7 * DAY });
    for (let hours = 0; hours < 6 * 24; hours += 8) {
      await time.watch(series, 8 * 60, 8 * 60);
      assert.ok((series.stored ?? "").length < 20 * 1024, `${(series.stored ?? "").length} bytes`);
    }
    assert.equal(new Set(starts(series)).size, series.sent.length);
  });
});
