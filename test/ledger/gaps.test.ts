// Tests for gaps: which of them a run retries, and in how many requests.
import assert from "node:assert/strict";
import { boundedGaps, fillGaps, gapRequests, newGap, owedGap, settle } from "../../src/ledger/gaps";
import { type Gap, type Ledger, type LedgerRule, newLedger, usualOf } from "../../src/ledger/ledger";
import { HOUR, MINUTE, type TimeWindow } from "../../src/time-units";

const noon = Date.UTC(2026, 5, 1, 12);
const NOW = noon + 48 * HOUR;

const hole = (startMinute: number, endMinute: number): TimeWindow => ({
  start: noon + startMinute * MINUTE,
  end: noon + endMinute * MINUTE,
});
const RULE: LedgerRule = {
  lookBack: 0,
  fillsGaps: true,
  gapHorizon: HOUR,
  gapRetryDelay: MINUTE,
};
const noticed = (holes: TimeWindow[]): Gap[] =>
  holes.map((one) => newGap(one, { now: noon, watched: 0 }, RULE));
const ledgerWith = (gaps: readonly Gap[]): Ledger => ({ ...newLedger(noon + 10 * 24 * HOUR), gaps });
const minutesOf = (windows: TimeWindow[]): number[][] =>
  windows.map(({ start, end }) => [(start - noon) / MINUTE, (end - noon) / MINUTE]);

describe("gaps", () => {
  /** Six gaps that are far apart; the later a gap lies, the longer it has been known. */
  const six = [0, 180, 360, 540, 720, 900].map((start) =>
    newGap(hole(start, start + 5), { now: NOW - HOUR - start * MINUTE, watched: 0 }, RULE),
  );

  it("are retried in four requests in each scheduled run, longest-waiting first, the rest in the next run", () => {
    const first = gapRequests(ledgerWith(six), NOW, false, RULE);
    assert.deepEqual(
      minutesOf(first.windows),
      [360, 540, 720, 900].map((start) => [start, start + 5]),
    );
    const answers = { requested: first.gaps, missing: [] };
    const { ledger } = settle(ledgerWith(six), answers, { now: NOW, watched: 0 }, RULE);
    const second = gapRequests(ledger, NOW, false, RULE);
    assert.deepEqual(
      minutesOf(second.windows),
      [0, 180].map((start) => [start, start + 5]),
    );
  });

  it("are retried first if a clock that was ahead has put them off", () => {
    const ahead = newGap(hole(1080, 1085), { now: NOW + 240 * HOUR, watched: 0 }, RULE);
    const { windows } = gapRequests(ledgerWith([...six, ahead]), NOW, false, RULE);
    assert.deepEqual(minutesOf(windows).at(-1), [1080, 1085]);
  });

  it("are all retried in a run that a message triggers", () => {
    assert.equal(gapRequests(ledgerWith(six), NOW, true, RULE).windows.length, 6);
  });

  it("are requested within the requests of one message, together with what is owed", () => {
    const holes = Array.from({ length: 50 }, (_none, index) => hole(index * 180, index * 180 + 5));
    const behind: Ledger = { ...newLedger(noon + 10 * 24 * HOUR), gaps: noticed(holes) };
    const count = (days: number): number =>
      gapRequests(behind, noon + (10 + days) * 24 * HOUR - HOUR, true, RULE).windows.length;
    assert.deepEqual([count(350), count(351) <= 4, count(398), count(400)], [50, true, 2, 0]);
  });

  it("of more than a week are requested a day at a time, each along with the last day, and each once more before giving up", () => {
    const day = 24 * 60;
    let ledger = ledgerWith(noticed([hole(0, 9 * day)]));
    const turn = (watched: number): number[][] => {
      const { windows, gaps: requested } = gapRequests(ledger, NOW, true, RULE);
      // The time stands still: turns do not depend on it.
      ({ ledger } = settle(ledger, { requested, missing: [] }, { now: NOW, watched }, RULE));
      return minutesOf(windows);
    };
    const days = (from: number, to: number): number[][] => [[from * day, to * day]];
    assert.deepEqual(turn(0), [...days(0, 1), ...days(8, 9)]);
    assert.deepEqual(turn(0), [...days(1, 2), ...days(8, 9)]);
    for (let turns = 0; turns < 100; turns += 1) turn(0);
    const last = new Set<number | undefined>();
    // The gap has been noticed for long enough now.
    while (ledger.gaps.length > 0) last.add(turn(RULE.gapHorizon)[0]?.[0]);
    assert.deepEqual(
      [...last].toSorted((a = 0, b = 0) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7].map((one) => one * day),
    );
  });

  it("of more than 60 days in which records have turned up are requested from the first day on, too", () => {
    const day = 24 * 60;
    const owed = owedGap(hole(0, 61 * day), { now: NOW, watched: 0 }, RULE);
    const ledger = { ...newLedger(noon + 70 * 24 * HOUR), gaps: [owed] };
    assert.deepEqual(minutesOf(gapRequests(ledger, noon + 70 * 24 * HOUR, false, RULE).windows), [
      [0, day],
      [60 * day, 61 * day],
    ]);
  });

  it("share a request of at most 24 hours if no more than an hour apart", () => {
    const windowsOf = (...holes: TimeWindow[]): number[][] =>
      minutesOf(gapRequests(ledgerWith(noticed(holes)), NOW, false, RULE).windows);
    assert.deepEqual(windowsOf(hole(0, 5), hole(65, 70)), [[0, 70]]);
    assert.deepEqual(windowsOf(hole(0, 5), hole(66, 70)), [
      [0, 5],
      [66, 70],
    ]);
    assert.deepEqual(windowsOf(hole(0, 1400), hole(1430, 1500)), [
      [0, 1440],
      [1440, 1500],
    ]);
  });

  it("are retried soon again once records have turned up in them, and else after twice the pause", () => {
    const [gap] = noticed([hole(0, 60)]).map((one) => ({ ...one, pause: 20 * MINUTE }));
    assert.ok(gap);
    const pauseOf = (left: Gap): number | undefined => {
      const answers = { requested: [gap], missing: [] };
      const { ledger } = settle(ledgerWith([left]), answers, { now: NOW, watched: 0 }, RULE);
      return ledger.gaps[0] && ledger.gaps[0].nextRequest - NOW;
    };
    assert.equal(pauseOf(gap), 40 * MINUTE);
    assert.equal(pauseOf({ ...gap, start: gap.start + 30 * MINUTE }), RULE.gapRetryDelay);
  });

  it("are retried as long as any of them would be when they are joined", () => {
    const [given, open] = noticed([hole(0, 5), hole(180, 185)]);
    assert.ok(given && open);
    // One that was given up before needs a single answer.
    for (const pauses of [
      [0, MINUTE],
      [MINUTE, 0],
    ]) {
      const both: readonly Gap[] = [given, open].map((gap, index) => {
        const pause = pauses[index] ?? 0;
        return { ...gap, pause, nextRequest: gap.nextRequest + pause };
      });
      const joined = boundedGaps(both, 1);
      assert.equal(joined[0]?.nextRequest, Math.min(...both.map((gap) => gap.nextRequest)));
      const answers = { requested: joined, missing: [] };
      const { ledger } = settle(ledgerWith(joined), answers, { now: NOW, watched: 0 }, RULE);
      assert.deepEqual(minutesOf([...ledger.gaps]), [[0, 185]]);
    }
  });

  it("are given up by the time since they were noticed, also the rest of one in which records have turned up", () => {
    const [gap] = noticed([hole(0, 60)]);
    assert.ok(gap);
    const usual = usualOf([]);
    assert.deepEqual(
      fillGaps([gap], hole(0, 5), usual).map((rest) => rest.noticed),
      [gap.noticed],
    );
  });

  it("end at the present once a clock that was ahead is right again", () => {
    const cursor = NOW - HOUR;
    const ahead = newGap(
      { start: cursor, end: NOW + 240 * HOUR },
      { now: NOW + 240 * HOUR, watched: 0 },
      RULE,
    );
    const known = { ...newLedger(cursor), gaps: [ahead] };
    const { ledger } = settle(known, { requested: [], missing: [] }, { now: NOW, watched: 0 }, RULE);
    assert.ok(ledger.gaps.every(({ end }) => end <= NOW));
  });
});
