// Tests for what a poll does when records, windows and clocks go wrong: nothing is lost in silence, and nothing stands still.
import assert from "node:assert/strict";
import { errorText, HttpError } from "../../src/errors";
import type { TimeWindow } from "../../src/ledger/window";
import type { PollRule } from "../../src/polling/series-poller";
import { HOUR, MINUTE } from "../../src/time-units";
import { type ModelRecord, ModelSeries, NO_ANSWER } from "./model-series";

const noon = Date.UTC(2026, 5, 1, 12);
const DAY = 24 * HOUR;
const rule: PollRule = {
  maxAgeMinutes: 15,
  lookBack: 0,
  gapHorizon: 72 * HOUR,
  gapRetryDelay: 5 * MINUTE,
  startBefore: 0,
  isBatch: false,
};
const REFUSED = new HttpError(errorText("refused", { what: "Telemetry", status: 400 }), { statusCode: 400 });

/** Records of five minutes each in [from, to), in minutes after noon, published when they end or at `published`. */
function records(from: number, to: number, published?: number): ModelRecord[] {
  const result: ModelRecord[] = [];
  for (let minute = from; minute < to; minute += 5) {
    const end = noon + (minute + 5) * MINUTE;
    const known = published === undefined ? end : noon + published * MINUTE;
    result.push({ start: end - 5 * MINUTE, end, published: known });
  }
  return result;
}

describe("a poll", () => {
  /** By the machine's clock, and by the monotonic one; milliseconds. */
  let now = noon;
  let elapsed = 0;
  const clock = { now: () => now, monotonic: () => elapsed };

  beforeEach(() => {
    now = noon;
    elapsed = 0;
  });

  function seriesOf(
    model: ModelRecord[],
    changes: Partial<PollRule> = {},
    serviceNow?: () => number,
  ): ModelSeries {
    return new ModelSeries({
      records: model,
      rule: { ...rule, ...changes },
      clock,
      ...(serviceNow && { serviceNow }),
    });
  }

  /** A series that owes everything from noon on. */
  async function started(...options: Parameters<typeof seriesOf>): Promise<ModelSeries> {
    const series = seriesOf(...options);
    await series.run();
    return series;
  }

  function pass(minutes: number): void {
    now += minutes * MINUTE;
    elapsed += minutes * MINUTE;
  }

  /** Scheduled runs every five minutes. */
  async function watch(series: ModelSeries, minutes: number): Promise<void> {
    for (let passed = 0; passed < minutes; passed += 5) {
      pass(5);
      await series.run(false);
    }
  }

  const starts = ({ sent }: ModelSeries): number[] => sent.map(({ due }) => (due.start - noon) / MINUTE);
  const sorted = (times: number[]): number[] => times.toSorted((a, b) => a - b);
  const givenUp = ({ notices }: ModelSeries): number[][] =>
    notices.flatMap((notice) => (notice.kind === "given-up" ? [minutesOf(notice.window)] : []));
  const minutesOf = ({ start, end }: TimeWindow): number[] => [
    (start - noon) / MINUTE,
    (end - noon) / MINUTE,
  ];
  const expected = (from: number, to: number): number[] =>
    records(from, to).map(({ start }) => (start - noon) / MINUTE);

  describe("after a long silence", () => {
    it("delivers what is uploaded after the first run that found nothing", async () => {
      const fiveDays = (5 * DAY) / MINUTE;
      const uploaded = fiveDays + 20;
      const series = await started([...records(0, 10), ...records(fiveDays - 2 * 1440, fiveDays, uploaded)]);
      await watch(series, 10);
      // Site and Node-RED are off for five days.
      now = noon + fiveDays * MINUTE;
      series.restart();
      await series.run(false);
      await watch(series, 60);
      assert.deepEqual(sorted(starts(series)), [...expected(0, 10), ...expected(fiveDays - 2880, fiveDays)]);
      assert.deepEqual(series.notices, []);
    });

    it("gives it up once it has been asked for over gapHours, with the interval told once, and goes on", async () => {
      const series = await started([...records(0, 10), ...records(7 * 1440, 7 * 1440 + 10)]);
      await watch(series, 10);
      await watch(series, 5 * 1440);
      const told = givenUp(series);
      assert.deepEqual(told[0]?.[0], 10);
      assert.ok(told.every((window, index) => index === 0 || window[0] === told[index - 1]?.[1]));
      const { cursor } = JSON.parse(series.stored ?? "") as { cursor: string };
      assert.equal((Date.parse(cursor) - noon) / MINUTE, told.at(-1)?.[1]);
      // Over 72 hours passed since this was first noticed, half a day after it began.
      assert.ok(Date.parse(cursor) <= now - 72 * HOUR);
      await watch(series, 2 * 1440 + 10);
      assert.deepEqual(starts(series), [...expected(0, 10), ...expected(7 * 1440, 7 * 1440 + 10)]);
    });

    it("costs one request in most runs", async () => {
      const series = await started(records(0, 10));
      await watch(series, 10);
      await watch(series, 5 * 1440);
      const before = series.requests;
      await watch(series, 1440);
      assert.ok(series.requests - before < 288 * 1.6, `${series.requests - before} requests in 288 runs`);
    });
  });

  describe("with a gap", () => {
    const model = (): ModelRecord[] => [...records(0, 10), ...records(10, 20, 6 * 1440), ...records(20, 30)];

    it("asks for it after Node-RED was off, however long, before giving up", async () => {
      const series = await started([...records(0, 10), ...records(10, 20, 80 * 60), ...records(20, 30)]);
      await watch(series, 60);
      now += 80 * HOUR;
      series.restart();
      await watch(series, 120);
      assert.deepEqual(sorted(starts(series)), expected(0, 30));
    });

    it("does not count the time in which the service is down", async () => {
      const series = await started(model());
      await watch(series, 60);
      series.isDown = true;
      for (let hours = 0; hours < 100; hours += 1) {
        pass(60);
        await series.run(false).catch((error: unknown) => assert.equal(error, NO_ANSWER));
      }
      series.isDown = false;
      await watch(series, 60);
      assert.deepEqual(series.notices, []);
    });

    it("gives it up after gapHours of asking, and tells it once", async () => {
      const series = await started(model());
      await watch(series, 60);
      await watch(series, 71 * 60);
      assert.deepEqual(series.notices, []);
      await watch(series, 4 * 60);
      const told = givenUp(series);
      // The silence since then is not over yet.
      assert.deepEqual(told, [[10, 20]]);
    });

    it("tolerates seams: records that end a second before the next begins", async () => {
      const model = records(0, 1440).map((record) => ({ ...record, end: record.end - 1000 }));
      const series = await started(model);
      await watch(series, 1440);
      assert.equal(series.sent.length, 288);
      assert.ok((series.stored ?? "").length < 1024);
      const before = series.requests;
      await series.run(false);
      assert.equal(series.requests - before, 1);
    });
  });

  describe("by a clock that is wrong", () => {
    it("loses nothing when it was ten days ahead for one run", async () => {
      let real = noon;
      const series = await started(records(0, 60), {}, () => real);
      const tick = (minutes: number): void => {
        pass(minutes);
        real += minutes * MINUTE;
      };
      tick(10);
      await series.run(false);
      now += 10 * DAY;
      tick(5);
      await series.run(false);
      now -= 10 * DAY;
      for (let runs = 0; runs < 10; runs += 1) {
        tick(5);
        await series.run(false);
      }
      assert.deepEqual(starts(series), expected(0, 60));
    });

    it("loses nothing when it was ahead at the very first run", async () => {
      let real = noon + 10 * MINUTE;
      const series = seriesOf(records(0, 60), { startBefore: undefined }, () => real);
      now = real + 10 * DAY;
      await series.run(false);
      now = real;
      for (let runs = 0; runs < 10; runs += 1) {
        real += 5 * MINUTE;
        now = real;
        await series.run(false);
      }
      assert.deepEqual(starts(series).slice(-10), expected(10, 60));
    });
  });

  describe("with a record that cannot be read", () => {
    it("sends the others, tells of it once, and sends it when it can be read", async () => {
      const series = await started(records(0, 120));
      series.unreadable.add(noon + 10 * MINUTE);
      await watch(series, 60);
      assert.deepEqual(starts(series), [...expected(0, 10), ...expected(15, 60)]);
      assert.deepEqual(
        series.notices.map(({ kind }) => kind),
        ["unreadable"],
      );
      series.unreadable.clear();
      await watch(series, 60);
      assert.deepEqual(sorted(starts(series)), expected(0, 120));
    });
  });

  describe("with a window that fails by itself", () => {
    const poisoned = { start: noon + 30 * MINUTE, end: noon + 35 * MINUTE };

    it("goes on with later records, tells of it once, and asks for it again", async () => {
      const series = await started(records(0, 240));
      series.poison.set(poisoned, REFUSED);
      const failures: unknown[] = [];
      for (let minute = 0; minute < 120; minute += 5) {
        pass(5);
        await series.run(false).catch((error: unknown) => failures.push(error));
      }
      assert.deepEqual(failures, [REFUSED]);
      assert.deepEqual(
        starts(series),
        expected(0, 120).filter((start) => start !== 30),
      );
      assert.equal(series.notices.length, 1);
      assert.equal(series.notices[0]?.kind, "failing");
      series.poison.clear();
      await watch(series, 65);
      assert.deepEqual(sorted(starts(series)), expected(0, 185));
    });

    it("reads the rest of a day with a bad moment", async () => {
      const series = await started(records(0, 1440));
      series.poison.set(poisoned, REFUSED);
      pass(1440);
      await assert.rejects(series.run(), REFUSED);
      await series.run();
      assert.deepEqual(
        starts(series),
        expected(0, 1440).filter((start) => start !== 30),
      );
      assert.ok(series.requests < 30, `${series.requests} requests`);
    });

    it("fails without narrowing while nothing is answered", async () => {
      const series = await started(records(0, 1440));
      await watch(series, 30);
      series.isDown = true;
      for (let runs = 0; runs < 3; runs += 1) {
        pass(5);
        const before = series.requests;
        await assert.rejects(series.run(false), NO_ANSWER);
        assert.ok(series.requests - before <= 2);
      }
      assert.deepEqual(series.notices, []);
    });
  });

  describe("from a start long ago", () => {
    it("finds out in a few requests where the records begin", async () => {
      const kept = records(-30 * 1440, 0);
      const series = seriesOf(kept, { startBefore: 365 * DAY });
      await series.run();
      assert.equal(series.sent.length, kept.length);
      assert.ok(series.requests < 30 + 25, `${series.requests} requests in the first run`);
      for (let runs = 0; runs < 10; runs += 1) {
        const before = series.requests;
        pass(5);
        await series.run();
        assert.ok(series.requests - before <= 3, `${series.requests - before} requests in run ${runs}`);
      }
    });

    it("does so, too, if older windows are refused", async () => {
      const kept = records(-10 * 1440, 0);
      const series = seriesOf(kept, { startBefore: 365 * DAY });
      series.poison.set({ start: noon - 366 * DAY, end: noon - 10 * DAY }, REFUSED);
      for (let runs = 0; runs < 3; runs += 1) await series.run().catch(() => undefined);
      assert.equal(series.sent.length, kept.length);
    });
  });

  it("never sends a record that begins in the future, and waits for the end of one in progress", async () => {
    const early = records(0, 20).map((record) => ({ ...record, published: noon }));
    const series = await started(early);
    pass(7);
    await series.run();
    assert.deepEqual(starts(series), [0]);
    pass(13);
    await series.run();
    assert.deepEqual(starts(series), expected(0, 20));
  });

  it("gives a cursor that a flow can start from if the service writes times without offset", async () => {
    const changes = { startTime: "2026-06-01T12:00:00", endTime: "2026-06-01T12:05:00" };
    const series = await started(records(0, 5).map((record) => ({ ...record, changes })));
    pass(5);
    await series.run();
    assert.equal(series.sent[0]?.due.cursor, "2026-06-01T12:05:00.000Z");
  });

  it("keeps its ledger small: under 1 KiB while all is well, under 20 KiB at worst", async () => {
    const healthy = await started(records(0, 1440));
    await watch(healthy, 1440);
    assert.ok((healthy.stored ?? "").length < 1024);
    now = noon;
    const everyOther = await started(
      records(0, 4 * 1440).filter((_record, index) => index % 2 === 0),
      { lookBack: 7 * DAY },
    );
    let largest = 0;
    for (let minute = 0; minute < 4 * 1440; minute += 60) {
      pass(60);
      await everyOther.run(false);
      largest = Math.max(largest, (everyOther.stored ?? "").length);
    }
    assert.ok(largest < 20 * 1024, `${largest} bytes`);
  });
});
