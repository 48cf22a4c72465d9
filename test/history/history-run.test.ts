// Tests for a history run: in which portions it sends, and where a run that ends early can be resumed.
import assert from "node:assert/strict";
import { systemClock } from "../../src/clock";
import { AbortedError, errorText, HttpError } from "../../src/errors";
import { HistoryRun, type HistorySeries, NOTHING_DONE } from "../../src/history/history-run";
import { planRange } from "../../src/history/plan";
import type { DueRecord } from "../../src/ledger/due-records";
import type { HistoryProgress } from "../../src/messages/messages";
import type { RecordAnswer } from "../../src/models/responses";
import type { RecordSource } from "../../src/reading/record-reader";
import { DAY, isInWindow, MINUTE, type TimeWindow } from "../../src/time-units";

const START = Date.UTC(2026, 5, 8);
const NOW = Date.UTC(2026, 5, 12);
const SLOT = 5 * MINUTE;
const PER_DAY = DAY / SLOT;

function recordsOf({ start, end }: TimeWindow): RecordAnswer {
  const records = Array.from({ length: (end - start) / SLOT }, (_none, index) => {
    const [from, to] = [start + index * SLOT, start + (index + 1) * SLOT];
    const times = { startTime: new Date(from).toISOString(), endTime: new Date(to).toISOString() };
    return { record: times, start: from, end: to };
  });
  return { records, unreadable: [] };
}

/** Shows everything, and says nothing. */
const QUIET: HistorySeries = {
  read: (window) => Promise.resolve(recordsOf(window)),
  lateness: () => 0,
  report: () => undefined,
};

describe("history run", () => {
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

  /** The number of records of each call, until the sink refuses one, or the run is aborted with so many records sent. */
  async function portionsOf(
    days: number,
    { isBatch = false, refused = Number.POSITIVE_INFINITY, aborted = Number.POSITIVE_INFINITY } = {},
  ): Promise<{ portions: number[]; run: HistoryRun }> {
    const portions: number[] = [];
    const send = (due: readonly DueRecord[]): void => {
      if (portions.length === refused) throw new AbortedError();
      portions.push(due.length);
      if (sum(portions) === aborted) aborting.abort();
    };
    const aborting = new AbortController();
    const run = new HistoryRun({
      plan: planRange({ start: START, end: START + days * DAY }),
      clock: { ...systemClock, now: () => NOW, monotonic: () => performance.now() },
      isBatch,
      signal: aborting.signal,
    });
    const reading = run.read(QUIET, send);
    if (Number.isFinite(Math.min(refused, aborted))) await assert.rejects(reading, AbortedError);
    else await reading;
    return { portions, run };
  }
  for (const [name, days] of [
    ["a single day", 1],
    ["several days", 3],
  ] as const) {
    it(`sends ${name} in small portions, and every record once`, async () => {
      const { portions } = await portionsOf(days);
      assert.ok(Math.max(...portions) <= 50);
      assert.equal(sum(portions), days * PER_DAY);
    });
  }

  it("sends a batch at once", async () => {
    assert.deepEqual((await portionsOf(2, { isBatch: true })).portions, [PER_DAY, PER_DAY]);
  });

  it("can be resumed where it was refused: at the first record, or in the middle of a window", async () => {
    for (const [days, refused] of [
      [3, 0],
      [3, 2],
      [3, 7],
      [1, 4],
    ] as const) {
      const { portions, run } = await portionsOf(days, { refused });
      const startTime = new Date(START + sum(portions) * SLOT).toISOString();
      assert.equal(run.remaining()?.startTime, startTime);
    }
  });

  /** What is sent of two days, if the service has these intervals. */
  async function sentOf(...intervals: TimeWindow[]): Promise<DueRecord[]> {
    const sent: DueRecord[] = [];
    const records = intervals.map(({ start, end }) => {
      const times = { startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString() };
      return { record: times, start, end };
    });
    const run = new HistoryRun({
      plan: planRange({ start: NOW - DAY - DAY / 2, end: NOW + DAY / 2 }),
      clock: { ...systemClock, now: () => NOW },
      isBatch: true,
      signal: new AbortController().signal,
    });
    const source: RecordSource = {
      read: (window) =>
        Promise.resolve({ records: records.filter((one) => isInWindow(one, window)), unreadable: [] }),
    };
    await run.read({ ...QUIET, ...source }, (due) => void sent.push(...due));
    return sent;
  }

  it("sends a record once that lies in two windows, or in all, and none that has not ended", async () => {
    const edge = NOW - DAY / 2;
    const across = { start: edge - MINUTE, end: edge + MINUTE };
    const long = { start: edge - 2 * DAY, end: NOW - 1 };
    const sent = await sentOf(long, across, { start: NOW - MINUTE, end: NOW + MINUTE });
    assert.deepEqual(
      sent.map(({ start }) => start),
      [long.start, across.start],
    );
  });

  it("gives each record the cursor behind which nothing was sent", async () => {
    const [start, end] = [NOW - DAY / 4, NOW - DAY / 4 + 60 * MINUTE];
    const intervals = [
      { start, end },
      { start: start + MINUTE, end: end - MINUTE },
      { start: end, end: end + MINUTE },
    ];
    const sent = await sentOf(...intervals);
    const ends = [end, end, end + MINUTE].map((time) => new Date(time).toISOString());
    assert.deepEqual(
      sent.map(({ cursor }) => cursor),
      ends,
    );
  });

  it("has left the same parts of a range if all of them fail, and not what lies between them", async () => {
    const parts = [0, 1, 3].map((day) => ({ start: START + day * DAY, end: START + day * DAY + DAY / 4 }));
    const reports: HistoryProgress[] = [];
    const run = new HistoryRun({
      plan: planRange({ start: START, end: NOW, parts }),
      clock: { ...systemClock, now: () => NOW },
      isBatch: false,
      signal: new AbortController().signal,
      onProgress: (report) => void reports.push(report),
    });
    const source: RecordSource = {
      read: (window) =>
        window.end > NOW
          ? Promise.resolve(recordsOf({ start: NOW, end: NOW }))
          : Promise.reject(new HttpError(errorText("whatSites"), { statusCode: 500 })),
    };
    await run.read({ ...QUIET, ...source }, () => assert.fail());
    run.showProgress({});
    const iso = (time: number): string => new Date(time).toISOString();
    const windows = parts.map(({ start, end }) => ({ startTime: iso(start), endTime: iso(end) }));
    assert.deepEqual(run.remaining(), {
      startTime: windows[0]?.startTime,
      endTime: windows[2]?.endTime,
      windows,
    });
    const { done, total, percent } = reports.at(-1) ?? {};
    assert.deepEqual([done, total, percent], [0, 3, 0]);
  });

  it("has left only what lies between the records sent, wherever the windows that fail begin and end", async () => {
    const HOUR = 12 * SLOT;
    const hours = Array.from({ length: 48 }, (_none, hour) => {
      const [start, end] = [START + hour * HOUR, START + (hour + 1) * HOUR];
      const times = { startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString() };
      return { record: times, start, end };
    });
    const failing = { start: START + 10 * HOUR + SLOT, end: START + 26 * HOUR + 4 * SLOT };
    const sent: number[] = [];
    let isFailing = true;
    const source: RecordSource = {
      read(window) {
        if (isFailing && isInWindow(window, failing))
          return Promise.reject(new HttpError(errorText("whatSites"), { statusCode: 400 }));
        return Promise.resolve({ records: hours.filter((one) => isInWindow(one, window)), unreadable: [] });
      },
    };
    const read = async (plan: readonly TimeWindow[]): Promise<HistoryRun> => {
      const { signal } = new AbortController();
      const run = new HistoryRun({ plan, clock: { ...systemClock, now: () => NOW }, isBatch: false, signal });
      await run.read({ ...QUIET, ...source }, (due) => void sent.push(...due.map(({ start }) => start)));
      return run;
    };
    const { startTime = "", endTime = "" } =
      (await read(planRange({ start: START, end: START + 2 * DAY }))).remaining() ?? {};
    const left = { start: Date.parse(startTime), end: Date.parse(endTime) };
    assert.deepEqual(left, { start: START + 11 * HOUR, end: START + 26 * HOUR });
    isFailing = false;
    assert.equal((await read(planRange(left))).remaining(), undefined);
    assert.deepEqual(
      sent.toSorted(),
      hours.map(({ start }) => start),
    );
  });

  it("has nothing left when it is aborted with the last record on its way", async () => {
    const { run } = await portionsOf(1, { aborted: PER_DAY });
    assert.equal(run.remaining(), undefined);
  });

  it("has left the records that one before covers, if it is aborted before they are sent", async () => {
    const aborting = new AbortController();
    const times = { startTime: new Date(START).toISOString(), endTime: new Date(START + DAY).toISOString() };
    const long = { record: times, start: START, end: START + DAY };
    const run = new HistoryRun({
      plan: planRange({ start: START, end: START + DAY }),
      clock: { ...systemClock, now: () => NOW, monotonic: () => performance.now() },
      isBatch: false,
      signal: aborting.signal,
    });
    const { records, unreadable } = recordsOf({ start: START + SLOT, end: START + DAY });
    const read = (): Promise<RecordAnswer> => Promise.resolve({ records: [long, ...records], unreadable });
    await assert.rejects(
      run.read({ ...QUIET, read }, () => aborting.abort()),
      AbortedError,
    );
    const { startTime } = run.remaining() ?? {};
    assert.equal(Date.parse(startTime ?? ""), records[run.records - 1]?.start);
  });

  it("has left what could not be read between the records sent when it is aborted while it sends", async () => {
    const failing = [30, 600].map((at) => ({ start: START + at * MINUTE, end: START + (at + 60) * MINUTE }));
    const read: RecordSource["read"] = (window) =>
      failing.some((one) => isInWindow(one, window))
        ? Promise.reject(new HttpError(errorText("whatSites"), { statusCode: 400 }))
        : QUIET.read(window, aborting.signal);
    const aborting = new AbortController();
    const left: HistoryProgress[] = [];
    const run = new HistoryRun({
      plan: planRange({ start: START, end: START + DAY }),
      clock: { ...systemClock, now: () => NOW },
      isBatch: false,
      signal: aborting.signal,
      onProgress: (progress) => left.push(progress),
    });
    await assert.rejects(
      run.read({ ...QUIET, read }, () => aborting.abort()),
      AbortedError,
    );
    run.showProgress({ cancelled: true });
    assert.equal(left.at(-1)?.percent, 0);
    // A portion of 50 records ends there.
    const rest = { startTime: "2026-06-08T05:10:00.000Z", endTime: "2026-06-09T00:00:00.000Z" };
    const first = { startTime: "2026-06-08T00:30:00.000Z", endTime: "2026-06-08T01:30:00.000Z" };
    assert.deepEqual(run.remaining()?.windows, [first, rest]);
  });

  it("requests nothing that begins in the future, which is left as long as anything is", async () => {
    const range = { start: NOW - DAY, end: NOW + 3 * DAY };
    const [startTime, endTime] = [range.start, range.end].map((time) => new Date(time).toISOString());
    const reads: TimeWindow[] = [];
    const source: RecordSource = {
      read(window) {
        reads.push(window);
        return Promise.resolve(recordsOf(window));
      },
    };
    const run = new HistoryRun({
      plan: planRange(range),
      clock: { ...systemClock, now: () => NOW },
      isBatch: true,
      signal: new AbortController().signal,
    });
    assert.deepEqual(run.remaining(), { startTime, endTime });
    await run.read({ ...QUIET, ...source }, () => undefined);
    assert.deepEqual(reads, [{ start: NOW - DAY, end: NOW }]);
    assert.equal(run.remaining(), undefined);
  });

  it("requests four windows at a time", async () => {
    const reads: ((answer: RecordAnswer) => void)[] = [];
    const run = new HistoryRun({
      plan: planRange({ start: START, end: START + 3.5 * DAY + DAY }),
      clock: { ...systemClock, now: () => NOW + DAY },
      isBatch: false,
      signal: new AbortController().signal,
    });
    const source: RecordSource = { read: () => new Promise((end) => reads.push(end)) };
    const reading = run.read({ ...QUIET, ...source }, () => undefined);
    assert.equal(reads.length, 4);
    for (let ended = 0; ended < reads.length; ended += 1) {
      reads[ended]?.({ records: [], unreadable: [] });
      await new Promise(setImmediate);
    }
    await reading;
    assert.equal(reads.length, 5);
  });
});

describe("a history run over a range that has just ended", () => {
  const END = NOW - 15 * MINUTE;
  const RANGE = { start: END - DAY, end: END };

  /** @param shown up to when the service shows records */
  async function runOf(shown: number, lateness: number, range: TimeWindow = RANGE): Promise<HistoryRun> {
    const run = new HistoryRun({
      plan: planRange(range),
      clock: { ...systemClock, now: () => NOW },
      isBatch: true,
      signal: new AbortController().signal,
    });
    const source: RecordSource = {
      read: ({ start }) => Promise.resolve(recordsOf({ start, end: Math.max(start, shown) })),
    };
    await run.read({ ...QUIET, ...source, lateness: () => lateness }, () => undefined);
    return run;
  }
  const at = (time: number): string => new Date(time).toISOString();

  it("has left what the service may not show yet, and ends there later", async () => {
    const run = await runOf(END - 2 * SLOT, 30 * MINUTE);
    assert.deepEqual(run.late, { start: END - 2 * SLOT, end: END });
    const left = { startTime: at(END - 2 * SLOT), endTime: at(END) };
    assert.deepEqual(run.remaining(), left);
    const rest = await runOf(END, 30 * MINUTE, { start: END - 2 * SLOT, end: END });
    assert.equal(rest.remaining(), undefined);
  });

  it("has nothing left where all are shown, where they no longer can be late, or where it reaches up to now", async () => {
    assert.equal((await runOf(END, 30 * MINUTE)).remaining(), undefined);
    assert.equal((await runOf(END - 2 * SLOT, 10 * MINUTE)).remaining(), undefined);
    const upToNow = await runOf(NOW - 20 * MINUTE, 30 * MINUTE, { start: NOW - DAY, end: NOW });
    assert.equal(upToNow.remaining(), undefined);
  });

  it("has left all that was not sent if it is aborted while it sends the last records", async () => {
    const aborting = new AbortController();
    const run = new HistoryRun({
      plan: planRange(RANGE),
      clock: { ...systemClock, now: () => NOW },
      isBatch: false,
      signal: aborting.signal,
    });
    const series: HistorySeries = {
      ...QUIET,
      read: ({ start }) => Promise.resolve(recordsOf({ start, end: END - 2 * SLOT })),
      lateness: () => 30 * MINUTE,
    };
    const reading = run.read(series, () => aborting.abort());
    await assert.rejects(reading, AbortedError);
    assert.deepEqual(run.remaining(), { startTime: at(RANGE.start + 50 * SLOT), endTime: at(END) });
  });

  it("has left no more of a silent site than what may be late", async () => {
    const run = await runOf(END - DAY / 2, 30 * MINUTE);
    assert.deepEqual(run.late, { start: NOW - 30 * MINUTE, end: END });
  });
});

describe("history progress", () => {
  /** The progress of each report, and the run, of which each request takes so long, while the clock is set by so much. */
  async function reportsOf(
    days: number,
    duration: number,
    set = 0,
  ): Promise<{ reports: HistoryProgress[]; run: HistoryRun }> {
    const reports: HistoryProgress[] = [];
    let passed = 0;
    const run = new HistoryRun({
      plan: planRange({ start: NOW - days * DAY, end: NOW }),
      clock: { ...systemClock, now: () => NOW + (passed && passed + set), monotonic: () => passed },
      isBatch: true,
      signal: new AbortController().signal,
      onProgress: (report) => void reports.push(report),
    });
    const source: RecordSource = {
      read: ({ start }) =>
        Promise.resolve(recordsOf({ start, end: start + ((NOW - start) % DAY ? 0 : 2 * SLOT) })),
    };
    await run.read({ ...QUIET, ...source }, () => void (passed += duration));
    return { reports, run };
  }

  const donesOf = async (duration: number, set?: number): Promise<number[]> =>
    (await reportsOf(3, duration, set)).reports.map(({ done }) => done);

  it("counts requests, and reports 100 percent only when all are done", async () => {
    const { reports, run } = await reportsOf(400, 1000);
    assert.deepEqual(reports.at(-1), {
      done: 399,
      total: 400,
      records: 798,
      percent: 99,
      finished: false,
      cancelled: false,
    });
    run.showProgress({ finished: true });
    assert.equal(reports.at(-1)?.percent, 100);
  });

  it("is reported at most once a second, and at the end only by the final report", async () => {
    assert.deepEqual(await donesOf(999), [0, 2]);
    assert.deepEqual(await donesOf(1000), [0, 1, 2]);
  });

  it("is reported at the same pace while the clock is set", async () => {
    for (const set of [-DAY, DAY]) {
      assert.deepEqual(await donesOf(999, set), [0, 2]);
      assert.deepEqual(await donesOf(1000, set), [0, 1, 2]);
    }
  });

  it("is 0 percent before the request is known", () => {
    assert.equal(NOTHING_DONE.percent, 0);
  });
});
