// Tests for the ledger: every record once and in order, and a position that never runs ahead of deliveries.
import assert from "node:assert/strict";
import { type DueRecord, dueRecords, withRecords } from "../../src/ledger/due-records";
import { gapRequests, newGap, settle } from "../../src/ledger/gaps";
import {
  FINGERPRINT_LENGTH,
  type Ledger,
  type LedgerRule,
  newLedger,
  owedWindow,
} from "../../src/ledger/ledger";
import { readLedger, storedLedger } from "../../src/ledger/stored-ledger";
import { type TimedRecord, uniqueInOrder } from "../../src/models/telemetry";
import { timed } from "../support/timed";
import { HOUR, MINUTE, type TimeWindow } from "../../src/time-units";

const noon = Date.UTC(2026, 5, 1, 12);
const rule: LedgerRule = {
  lookBack: 0,
  fillsGaps: true,
  gapHorizon: 72 * HOUR,
  gapRetryDelay: 5 * MINUTE,
};

const record = (startMinute: number, endMinute = startMinute + 5) => ({
  startTime: new Date(noon + startMinute * MINUTE).toISOString(),
  endTime: new Date(noon + endMinute * MINUTE).toISOString(),
});

const read = (records: ReturnType<typeof record>[]): readonly TimedRecord[] =>
  uniqueInOrder(records.map((one) => timed(one)));

const minutesOf = ({ start, end }: TimeWindow): [number, number] => [
  (start - noon) / MINUTE,
  (end - noon) / MINUTE,
];

function process(ledger: Ledger, records: object[], nowMinute: number, by = rule) {
  const now = noon + nowMinute * MINUTE;
  const window = owedWindow(ledger, now, by);
  assert.ok(window);
  const due = dueRecords(ledger, read(records as ReturnType<typeof record>[]), { window, now, rule: by });
  return { due, ledger: withRecords(ledger, due, { now, watched: 0 }, by) };
}

describe("ledger", () => {
  it("reads from the cursor to slightly past now", () => {
    const window = owedWindow(newLedger(noon), noon + 10 * MINUTE, rule);
    assert.deepEqual(window && minutesOf(window), [0, 15]);
  });

  it("catches up in contiguous windows of at most 24 hours, and stops at now", () => {
    const ledger = newLedger(noon);
    const now = noon + 50 * HOUR;
    const windows: TimeWindow[] = [];
    for (
      let window = owedWindow(ledger, now, rule);
      window;
      window = owedWindow(ledger, now, rule, window.end)
    )
      windows.push(window);
    assert.deepEqual(
      windows.map(({ start, end }) => [(start - noon) / HOUR, Math.floor((end - noon) / HOUR)]),
      [
        [0, 24],
        [24, 48],
        [48, 50],
      ],
    );
  });

  describe("re-reading, when the look-back begins within a gap", () => {
    const by = { ...rule, lookBack: 30 * MINUTE };
    const around = (gapEnd: number): Ledger =>
      process(newLedger(noon), [record(0), record(gapEnd), record(gapEnd + 20)], gapEnd + 26, by).ledger;
    const startOf = (ledger: Ledger): number | undefined => {
      const window = owedWindow(ledger, noon + 3 * HOUR, by);
      return window && minutesOf(window)[0];
    };

    it("reads a short gap from its start, so that its records come in order", () => {
      const { ledger } = process(newLedger(noon), [record(0), record(20), record(35)], 41, by);
      assert.equal(startOf(ledger), 5);
    });

    it("leaves a long gap to the requests for gaps", () => {
      assert.equal(startOf(around(100)), 100);
    });
  });

  it("delivers records in order and moves the cursor to the end of the newest, in the service's own notation", () => {
    const { due, ledger } = process(newLedger(noon), [record(5), record(0)], 10);
    assert.deepEqual(due.map(minutesOf), [
      [0, 5],
      [5, 10],
    ]);
    assert.equal(ledger.cursor, record(5).endTime);
    assert.deepEqual(
      due.map(({ cursor }) => cursor),
      [record(0).endTime, record(5).endTime],
    );
  });

  it("delivers a record once, however often the service returns it", () => {
    const first = process(newLedger(noon), [record(0), record(0)], 10);
    assert.equal(first.due.length, 1);
    const again = process(first.ledger, [record(0)], 10);
    assert.deepEqual(again.due, []);
    assert.equal(again.ledger, first.ledger);
  });

  it("holds back a record that ends in the future", () => {
    const early = process(newLedger(noon), [record(0), record(5)], 9);
    assert.deepEqual(early.due.map(minutesOf), [[0, 5]]);
    const later = process(early.ledger, [record(5)], 10);
    assert.deepEqual(later.due.map(minutesOf), [[5, 10]]);
  });

  it("sends a record again as revised if it returns with a later end, but not with an earlier one", () => {
    const first = process(newLedger(noon), [record(0, 3)], 4);
    const longer = process(first.ledger, [record(0, 5)], 6);
    assert.deepEqual(
      longer.due.map(({ phase }) => phase),
      ["revised"],
    );
    assert.deepEqual(process(longer.ledger, [record(0, 3)], 6).due, []);
  });

  it("sends an unaligned record once when it extends past the cursor", () => {
    const first = process(newLedger(noon), [record(0)], 6);
    const second = process(first.ledger, [record(2, 7), record(0)], 8);
    assert.deepEqual(second.due.map(minutesOf), [[2, 7]]);
  });

  it("omits records that only touch the window, even if an inclusive service returns them", () => {
    const { due } = process(newLedger(noon), [record(-5), record(0)], 6);
    assert.deepEqual(due.map(minutesOf), [[0, 5]]);
  });

  it("stays small over a month of polling", () => {
    let ledger = newLedger(noon);
    for (let minute = 0; minute < 30 * 24 * 60; minute += 60) {
      const hour = Array.from({ length: 12 }, (_, index) => record(minute + index * 5));
      ({ ledger } = process(ledger, hour, minute + 60));
    }
    assert.ok(JSON.stringify(storedLedger(ledger)).length < 1000);
  });

  it("retries gaps in the first scheduled run after a restart, then at growing intervals of up to an hour", () => {
    for (const [gapRetryDelay, first] of [
      [3000, 3000],
      [90 * MINUTE, HOUR],
    ] as const) {
      const by = { ...rule, gapRetryDelay };
      let { ledger } = process(newLedger(noon), [record(10)], 20, by);
      let now = noon + 20 * MINUTE;
      for (const pause of [first, Math.min(2 * first, HOUR), Math.min(4 * first, HOUR)]) {
        assert.equal(gapRequests(ledger, now + pause - 1, false, by).windows.length, 0);
        now += pause;
        const { windows, gaps: requested } = gapRequests(ledger, now, false, by);
        assert.equal(windows.length, 1);
        ({ ledger } = settle(ledger, { requested, missing: [] }, { now, watched: 0 }, by));
      }
    }
  });

  it("sends records that it skipped within the look-back as late, even if gaps are not filled", () => {
    const by = { ...rule, lookBack: HOUR, fillsGaps: false };
    const skipped = process(newLedger(noon), [record(0), record(10)], 16, by).ledger;
    const answers = { requested: [], missing: [] };
    const { ledger } = settle(skipped, answers, { now: noon + 16 * MINUTE, watched: 0 }, by);
    assert.deepEqual(ledger.gaps, []);
    const { due } = process(ledger, [record(0), record(5), record(10)], 17, by);
    assert.deepEqual(
      due.map((one) => [...minutesOf(one), one.phase]),
      [[5, 10, "late"]],
    );
  });

  it("sends a late record again as revised when it extends into the rest of its gap, however long ago it was sent", () => {
    let { ledger } = process(newLedger(noon), [record(0), record(20), record(200)], 206);
    const now = noon + 207 * MINUTE;
    for (const [end, phase] of [
      [10, "late"],
      [15, "revised"],
      [20, "revised"],
    ] as const) {
      const [answer, window] = [read([record(5, end)]), { start: noon, end: noon + HOUR }];
      const due = dueRecords(ledger, answer, { window, now, rule });
      assert.deepEqual(
        due.map((one) => one.phase),
        [phase],
      );
      ledger = withRecords(ledger, due, { now, watched: 0 }, rule);
    }
  });

  it("ignores changed values without a look-back, even of records remembered from an earlier one", () => {
    const { ledger } = process(newLedger(noon), [record(0)], 6, { ...rule, lookBack: HOUR });
    const changed = [{ ...record(0), grid: { power: 1 } }];
    const [window, now] = [{ start: noon, end: noon + HOUR }, noon + 7 * MINUTE];
    const phases = (lookBack: number): string[] =>
      dueRecords(ledger, read(changed), { window, now, rule: { ...rule, lookBack } }).map(
        ({ phase }) => phase,
      );
    assert.deepEqual([phases(HOUR), phases(0)], [["revised"], []]);
  });

  it("sends no record again because a look-back was set after it was sent", () => {
    const { ledger } = process(newLedger(noon), [record(0)], 6);
    assert.deepEqual(process(ledger, [record(0)], 7, { ...rule, lookBack: HOUR }).due, []);
  });

  it("sends a record with other values as revised within a look-back of a week, if records take three minutes", () => {
    const by = { ...rule, lookBack: 7 * 24 * HOUR };
    const ofDay = (day: number, values = {}): readonly TimedRecord[] =>
      Array.from({ length: 24 * 20 }, (_none, index) => day * 24 * 60 + index * 3).map((minute) =>
        timed({ ...record(minute, minute + 3), ...values }),
      );
    let ledger = newLedger(noon);
    const dueOn = (day: number, records: readonly TimedRecord[]): DueRecord[] => {
      const start = noon + day * 24 * HOUR;
      const [window, now] = [{ start, end: start + 24 * HOUR }, noon + 7 * 24 * HOUR];
      const due = dueRecords(ledger, records, { window, now, rule: by });
      ledger = withRecords(ledger, due, { now, watched: 0 }, by);
      return due;
    };
    for (let day = 0; day < 7; day += 1) dueOn(day, ofDay(day));
    const revised = dueOn(0, ofDay(0, { grid: { power: 1 } }));
    assert.deepEqual(
      [revised.length, new Set(revised.map(({ phase }) => phase))],
      [480, new Set(["revised"])],
    );
    assert.ok(readLedger(JSON.parse(JSON.stringify(storedLedger(ledger)))));
  });

  it("stays small with any number of gaps, and loses none of what is missing", () => {
    let ledger = newLedger(noon);
    const missing: number[] = [];
    for (let hour = 0; hour < 8 * 24; hour += 4) {
      const minutes = Array.from({ length: 48 }, (_none, index) => hour * 60 + index * 5);
      // About every other one, without a pattern that would make the stored form short.
      const isMissing = (minute: number): boolean => minute > 0 && Math.sin(minute * minute) > 0;
      missing.push(...minutes.filter(isMissing));
      const shown = minutes.filter((minute) => !isMissing(minute)).map((minute) => record(minute));
      ({ ledger } = process(ledger, shown, hour * 60 + 241));
      assert.ok(JSON.stringify(storedLedger(ledger)).length < 20 * 1024);
    }
    const { gaps } = ledger;
    const newest = missing.filter((minute) => noon + minute * MINUTE < Date.parse(ledger.cursor));
    const isOwed = (minute: number): boolean => {
      const start = noon + minute * MINUTE;
      return gaps.some((gap) => gap.start <= start && gap.end >= start + 5 * MINUTE);
    };
    assert.ok(newest.length > 1000 && newest.every(isOwed));
    assert.deepEqual(readLedger(JSON.parse(JSON.stringify(storedLedger(ledger))))?.gaps.length, gaps.length);
  });

  it("survives serialization to JSON", () => {
    const { ledger } = process(newLedger(noon), [record(0)], 6);
    assert.deepEqual(readLedger(JSON.parse(JSON.stringify(storedLedger(ledger)))), ledger);
  });

  it("remembers across a restart what it gave up first, and what records contained", () => {
    const delivered: Ledger["delivered"] = [
      [noon, noon + 5 * MINUTE, "a".repeat(FINGERPRINT_LENGTH)],
      [noon + 5 * MINUTE, noon + 10 * MINUTE, "b".repeat(FINGERPRINT_LENGTH)],
    ];
    const ledger = { ...newLedger(noon + HOUR), delivered, knownFrom: noon, silentFrom: noon + 10 * MINUTE };
    assert.deepEqual(readLedger(JSON.parse(JSON.stringify(storedLedger(ledger)))), ledger);
  });

  it("remembers across a restart which day of a long gap is next", () => {
    const { ledger } = process(newLedger(noon), [record(0)], 6);
    const window = { start: noon + HOUR, end: noon + 10 * 24 * HOUR };
    const gap = { ...newGap(window, { now: noon, watched: 0 }, rule), turn: 5 };
    const stored = storedLedger({ ...ledger, gaps: [gap] });
    assert.deepEqual(readLedger(JSON.parse(JSON.stringify(stored)))?.gaps, [gap]);
  });

  for (const damaged of [
    undefined,
    null,
    "x",
    {},
    { cursor: "yesterday", delivered: [] },
    { cursor: "2026-06-01T00:00:00Z" },
    // A negative count makes room for a positive one in the sum.
    { ...storedLedger(newLedger(noon)), delivered: [-20_000, 20_000].map((count) => [0, 1, count]) },
  ]) {
    it(`is rejected if it is ${JSON.stringify(damaged)}`, () => assert.equal(readLedger(damaged), undefined));
  }
});
