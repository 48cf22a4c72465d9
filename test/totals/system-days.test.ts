// Tests for the days of a system: each is read once, whatever its records are like, and comes to the same numbers.
import assert from "node:assert/strict";
import { errorText, ResponseError } from "../../src/errors";
import { isInWindow } from "../../src/time-units";
import { constantPrice } from "../../src/totals/prices";
import { KNOWN_DAYS_FORM } from "../../src/totals/stored-days";
import { joinedSums, type Sums } from "../../src/totals/sums";
import { type DayRun, type DayTotals, SystemDays } from "../../src/totals/system-days";
import { record, START } from "./energy";
import { CALENDAR, DAY, HOUR, RULE, sending, Service, totals } from "./day-service";
import { StoredDays } from "./stored-days";

describe("days of a system", () => {
  it("reads a day that is over once, also across restarts, and comes to the same numbers", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const run = service.run(START + 3.5 * DAY);
    const first = await totals(stored, run, 1, 3);
    const { length } = service.requests;
    const again = await totals(stored, run, 1, 3);
    assert.equal(service.requests.length, length);
    assert.deepEqual(
      again.map(({ sums }) => sums.amounts.energy),
      first.map(({ sums }) => sums.amounts.energy),
    );
    assert.ok([...stored.months.values()].join("").length < 2 * 1500);
  });

  it("has the same numbers to the last digit when it comes again from the store", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    service.records = Array.from({ length: 864 }, (_none, index) =>
      record(5 * index, 5 * index + 5, { imported: 100 / 3, consumed: 100 / 3 }),
    );
    const prices = { importPrice: constantPrice(1 / 7), exportPrice: undefined };
    const money = { ...prices, fixed: 0, fixedPer: "day", netting: "none", delivery: 0 } as const;
    const sumsNow = async (): Promise<Sums[]> =>
      (await totals(stored, service.run(START + 3 * DAY), 0, 2, { ...RULE, moneyIn: async () => money })).map(
        ({ sums }) => sums,
      );
    assert.deepEqual(await sumsNow(), await sumsNow());
  });

  it("costs one request for today so far", async () => {
    const service = new Service();
    const [today] = await totals(new StoredDays(), service.run(START + 2 * DAY + 10 * HOUR), 2, 3);
    const [[from, to] = assert.fail(), ...others] = service.requests;
    assert.deepEqual([Math.round(from), Math.round(to), others], [48, 58, []]);
    // With the record before midnight.
    assert.ok(from < 48);
    assert.equal(today?.sums.amounts.energy.imported, 600);
    assert.equal(today?.sums.end, START + 2 * DAY + 10 * HOUR);
    assert.deepEqual(today?.sums.missing, []);
  });

  it("costs one request for each day before the first record of a new site, but for the first day", async () => {
    const service = new Service();
    service.records = service.records.slice(72);
    const days = await totals(new StoredDays(), service.run(START + 4 * DAY), 0, 4);
    assert.deepEqual(
      days.map(({ sums }) => sums.amounts.energy.consumed),
      [undefined, undefined, undefined, 1800],
    );
    // Of the first day, the hour and the day before it. Behind an empty day, nothing is needed.
    assert.equal(service.requests.length, 2 + 4);
  });

  it("is complete for records that neither begin nor end at midnight, and counts by the reading before it", async () => {
    for (const offset of [-2, -1, 150]) {
      const service = new Service();
      const shift = (minutes: number): number => minutes + offset / 60;
      service.records = Array.from({ length: 1152 }, (_none, index) => {
        const grid = { lifetimeImportedEnergy: 30 * index, lifetimeExportedEnergy: 0 };
        const told = { imported: null, exported: null, consumed: 30 };
        return record(shift(5 * index), shift(5 * index + 5), told, { grid });
      });
      const [day] = await totals(new StoredDays(), service.run(START + 3 * DAY), 1, 2);
      assert.deepEqual(day?.sums.missing, [], String(offset));
      assert.equal(day.sums.amounts.energy.imported?.toFixed(3), "8640.000", String(offset));
    }
  });

  it("takes no break for a gap where every record ends that early, as a poll does", async () => {
    for (const [early, isComplete] of [
      [10, true],
      [0, false],
    ] as const) {
      const service = new Service();
      service.records = Array.from({ length: 864 }, (_none, index) => {
        // Where no other record ends early, one is a gap.
        const end = 5 * index + 5 - (early > 0 || index === 400 ? 10 / 60 : 0);
        return record(5 * index, end, { imported: 30, consumed: 30 });
      });
      const [day] = await totals(new StoredDays(), service.run(START + 3 * DAY), 1, 2);
      assert.equal(day?.sums.missing.length === 0, isComplete);
      assert.equal(day?.sums.peak?.power, 360);
    }
  });

  it("goes on with the battery's account of the day before", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const [first, second] = await totals(stored, service.run(START + 4 * DAY), 0, 2);
    // What was charged at night is from the grid.
    assert.deepEqual([first?.sums.amounts.use.ownUsed, second?.sums.amounts.use.ownUsed], [0, 0]);
    assert.equal(first?.sums.amounts.flows.batteryToHome, 600);
  });

  it("trusts a counter after an outage over midnight by the power of the day before", async () => {
    const service = new Service();
    let [minute, counter] = [0, 0];
    service.records = [];
    // 2 kW until 22:00 of the first day, then nothing until 02:00, and 100 W from there on.
    for (; minute < 2 * 1440; minute += 60) {
      const energy = minute < 22 * 60 ? 2000 : minute < 26 * 60 ? 1500 : 100;
      counter += energy;
      if (minute >= 22 * 60 && minute < 26 * 60) continue;
      const counters = { consumption: { lifetimeEnergy: counter } };
      service.records.push(record(minute, minute + 60, { imported: energy, consumed: energy }, counters));
    }
    const [first, second] = await totals(new StoredDays(), service.run(START + 2 * DAY), 0, 2);
    assert.deepEqual([first?.sums.resets, second?.sums.resets], [[], []]);
    assert.equal(
      Math.round((first?.sums.amounts.energy.consumed ?? 0) + (second?.sums.amounts.energy.consumed ?? 0)),
      counter,
    );
  });

  it("trusts a counter after a gap at the start of the first day by the power of the rest of that day", async () => {
    const service = new Service();
    let [counter, end] = [0, -60];
    service.records = [];
    // 100 W until midnight, 1 kW for six hours without records, then nothing until the evening.
    for (const [hours, energy, isKnown] of [
      [1, 100, true],
      [6, 1000, false],
      [12, 0, true],
      [6, 800, true],
    ] as const)
      for (let hour = 0; hour < hours; hour += 1) {
        counter += energy;
        end += 60;
        const grid = { lifetimeImportedEnergy: counter };
        if (isKnown) service.records.push(record(end - 60, end, { imported: energy }, { grid }));
      }
    const [day] = await totals(new StoredDays(), service.run(START + DAY), 0, 1);
    assert.deepEqual(day?.sums.resets, []);
    assert.equal(day.sums.amounts.energy.imported, 6000 + 4800);
    assert.equal(day.sums.amounts.estimated.imported, 6000);
  });

  it("loses no energy in an outage of days, and tells each of them once records are back", async () => {
    const service = new Service();
    // 100 W all the time, and no records from noon of the first day to noon of the fourth.
    const all = Array.from({ length: 120 }, (_none, hour) => {
      const counters = { consumption: { lifetimeEnergy: 7000 + 100 * (hour + 1) } };
      return record(hour * 60, hour * 60 + 60, { imported: 100, consumed: 100 }, counters);
    });
    service.records = all.filter((_one, hour) => hour < 12 || hour >= 84);
    const consumed = (days: readonly DayTotals[]): unknown[] =>
      days.map(({ sums }) => sums.amounts.energy.consumed);
    const days = await totals(new StoredDays(), service.run(START + 5 * DAY), 0, 5);
    assert.deepEqual(consumed(days), [2400, 2400, 2400, 2400, 2400]);
    assert.deepEqual(days[1]?.sums.amounts.estimated.consumed, 2400);
    // Two outages, each over a midnight.
    service.records = all.filter((_one, hour) => (hour < 22 || hour >= 34) && (hour < 46 || hour >= 58));
    const after = await totals(new StoredDays(), service.run(START + 5 * DAY), 0, 5);
    assert.deepEqual(consumed(after), [2400, 2400, 2400, 2400, 2400]);
    service.records = all.filter((_one, hour) => hour < 12 || hour >= 84);
    // A site that stays silent costs no more than one search for what comes after it.
    const silent = new Service();
    silent.records = all.slice(0, 12);
    await totals(new StoredDays(), silent.run(START + 20 * DAY), 0, 20);
    assert.ok(silent.requests.length <= 45, String(silent.requests.length));
    // Each day by itself, as a schedule reads them.
    const [stored, sent] = [new StoredDays(), new Map<string, unknown>()];
    for (let hour = 25; hour < 120; hour += 5) {
      const now = START + hour * HOUR;
      const earlier = sending([], true);
      earlier.send = (one) => Promise.resolve(sent.set(one.day.date, consumed([one])[0]));
      const system = new SystemDays(stored, RULE, { ...service.run(now), earlier });
      for (const one of await system.read(CALENDAR.days(CALENDAR.period("yesterday", now))))
        sent.set(one.day.date, consumed([one])[0]);
    }
    assert.deepEqual([...sent.values()], [2400, 2400, 2400, 2400]);
  });

  it("loses no energy at the end of a day, although what comes after an earlier one cannot be read", async () => {
    const service = new Service();
    const all = Array.from({ length: 120 }, (_none, hour) => {
      const counters = { consumption: { lifetimeEnergy: 7000 + 100 * (hour + 1) } };
      return record(hour * 60, hour * 60 + 60, { imported: 100, consumed: 100 }, counters);
    });
    service.records = all.filter((_one, hour) => hour !== 23 && hour !== 24 && hour !== 71 && hour !== 72);
    const run = service.run(START + 5 * DAY);
    const hole = { start: START + DAY, end: START + DAY + HOUR };
    const error = new ResponseError(errorText("answerPages", { pages: 1 }));
    const read: DayRun["read"] = async (span) => {
      const missing = isInWindow(hole, span) ? [{ ...hole, error }] : [];
      return { ...(await run.read(span)), missing };
    };
    const [, , third] = await totals(new StoredDays(), { ...run, read }, 0, 4);
    assert.equal(third?.sums.amounts.energy.consumed, 2400);
  });

  it("searches once behind all days of an outage that ends in what cannot be read", async () => {
    const service = new Service();
    service.records = service.records.slice(0, 12);
    const run = service.run(START + 20 * DAY);
    const hole = { start: START + 18 * DAY, end: START + 18 * DAY + HOUR };
    const error = new ResponseError(errorText("answerPages", { pages: 1 }));
    const read: DayRun["read"] = async (span) => {
      const missing = isInWindow(hole, span) ? [{ ...hole, error }] : [];
      return { ...(await run.read(span)), missing };
    };
    await totals(new StoredDays(), { ...run, read }, 0, 17);
    assert.ok(service.requests.length <= 40, String(service.requests.length));
  });

  it("finishes a day that had begun before it goes on, also over a few days without requests", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    await totals(stored, service.run(START + 12 * HOUR), 0, 1);
    const [third] = await totals(stored, service.run(START + 3 * DAY), 2, 3);
    // What was charged at night is from the grid: the rest of the first day and the second were read, too.
    assert.equal(third?.sums.amounts.use.ownUsed, 0);
    const { length } = service.requests;
    const [first] = await totals(stored, service.run(START + 3 * DAY), 0, 3);
    assert.deepEqual([first?.revision, service.requests.length], [1, length]);
  });

  it("adds up to the day however it is cut, also what the battery held", async () => {
    const service = new Service();
    const run = service.run(START + 2 * DAY);
    const sumsOf = async (from: number, to: number): Promise<Sums> => {
      const days = CALENDAR.days({ start: START + from * HOUR, end: START + to * HOUR });
      const [first] = await new SystemDays(new StoredDays(), RULE, run).read(days);
      return first?.sums ?? assert.fail();
    };
    const whole = await sumsOf(0, 24);
    for (const cut of [3.2, 8, 11.5, 12]) {
      const joined = joinedSums([await sumsOf(0, cut), await sumsOf(cut, 24)]);
      assert.deepEqual([joined.start, joined.end, joined.missing], [whole.start, whole.end, whole.missing]);
      assert.ok(Math.abs(joined.days - 1) < 1e-9);
      for (const name of ["batteryToHome", "gridToBattery", "gridToHome"] as const)
        assert.ok(
          Math.abs((joined.amounts.flows[name] ?? 0) - (whole.amounts.flows[name] ?? 0)) < 1e-6,
          name,
        );
      assert.ok(Math.abs((joined.amounts.use.ownUsed ?? 0) - (whole.amounts.use.ownUsed ?? 0)) < 1e-6);
    }
  });

  it("splits a period that begins at any minute into the hours of the clock", () => {
    const [day = assert.fail()] = CALENDAR.days({ start: START + 7 * 60_000, end: START + 2.5 * HOUR });
    assert.deepEqual(
      CALENDAR.hours(day).map(({ start, end }) => [(start - START) / HOUR, (end - START) / HOUR]),
      [
        [7 / 60, 1],
        [1, 2],
        [2, 2.5],
      ],
    );
  });

  it("keeps no more days than it may, and no month before them", async () => {
    const service = new Service();
    const run = service.run(START + 4 * DAY);
    // 4 May to 7 May: of the first row, the first two are not kept.
    for (const [since, kept, others] of [
      ["2026-05-06", ["2026-05-06", "2026-05-07"], []],
      ["2026-03-15", ["2026-05-04", "2026-05-05", "2026-05-06", "2026-05-07"], ["2026-03", "2026-04"]],
    ] as const) {
      const stored = new StoredDays(since);
      for (const month of ["2026-01", "2026-02", "2026-03", "2026-04"]) stored.months.set(month, "[]");
      await totals(stored, run, 0, 4);
      assert.deepEqual(
        KNOWN_DAYS_FORM.read(JSON.parse(stored.months.get("2026-05") ?? ""))?.map(({ date }) => date),
        kept,
      );
      assert.deepEqual([...stored.months.keys()].toSorted(), [...others, "2026-05"]);
    }
  });
});
