import assert from "node:assert/strict";
import { errorText, ResponseError } from "../../src/errors";
import type { TimedRecord } from "../../src/models/telemetry";
import type { MoneyRule } from "../../src/totals/money";
import type { TimeWindow } from "../../src/time-units";
import { calendarOf } from "../../src/site-calendar";
import { constantPrice, pricesBetween } from "../../src/totals/prices";
import { type DayStores, KNOWN_DAYS_FORM } from "../../src/totals/stored-days";
import { UnreadableSpan } from "../../src/totals/day-records";
import { joinedSums, type Sums } from "../../src/totals/sums";
import type { DayRule } from "../../src/totals/day-sums";
import { type DayRun, type DayTotals, SystemDays } from "../../src/totals/system-days";
import { COMPLETE, record, START } from "./energy";
import { StoredDays } from "./stored-days";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CALENDAR = calendarOf("UTC");
const RULE: DayRule = {
  calendar: CALENDAR,
  absent: COMPLETE,
  priority: "house",
  money: undefined,
  keyOf: () => "rule",
  hasDatedPrices: false,
  split: "none",
};

const MONEY: MoneyRule = {
  importPrice: undefined,
  exportPrice: constantPrice(0.1),
  fixed: 0,
  fixedPer: "day",
  netting: "none",
  delivery: 0,
};

/** A service with records of an hour that charge 100 by night and use them by day. */
class Service {
  readonly requests: [start: number, end: number][] = [];
  records: TimedRecord[] = Array.from({ length: 96 }, (_none, hour) => {
    const isNight = hour % 24 < 6;
    const stored = isNight ? 100 * ((hour % 24) + 1) : Math.max(0, 600 - 100 * ((hour % 24) - 5));
    const minute = hour * 60;
    return isNight
      ? record(minute, minute + 60, { imported: 100, charged: 100, stored })
      : record(minute, minute + 60, {
          discharged: stored > 0 || hour % 24 === 11 ? 100 : 0,
          consumed: 100,
          imported: hour % 24 > 11 ? 100 : 0,
          stored,
        });
  });

  run(now: number, isByMessage = false): DayRun {
    return {
      now,
      isByMessage,
      read: ({ start, end }) => {
        this.requests.push([(start - START) / HOUR, (end - START) / HOUR]);
        assert.ok(end - start <= DAY);
        return Promise.resolve(
          this.records.filter((one) => one.start < end && one.end > start && one.end <= now),
        );
      },
    };
  }
}

function totals(stores: DayStores, run: DayRun, from: number, to: number, rule = RULE): Promise<DayTotals[]> {
  const span = { start: START + from * DAY, end: START + to * DAY };
  return new SystemDays(stores, rule, run).read(CALENDAR.days(span).filter(({ start }) => start < run.now));
}

/** What a schedule sends of earlier days. */
function sending(sent: DayTotals[], withSkipped = false): NonNullable<DayRun["earlier"]> {
  return { withSkipped, send: (one) => Promise.resolve(sent.push(one)) };
}

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

  it("goes on with the battery's account of the day before", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const [first, second] = await totals(stored, service.run(START + 4 * DAY), 0, 2);
    // What was charged at night is from the grid.
    assert.deepEqual([first?.sums.amounts.use.ownUsed, second?.sums.amounts.use.ownUsed], [0, 0]);
    assert.equal(first?.sums.amounts.flows.batteryToHome, 600);
  });

  it("reads a day with holes again with growing pauses, at once for a message, and counts its revisions", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const { records } = service;
    service.records = records.filter((_one, index) => index !== 30);
    const now = START + 3 * DAY;
    const [known] = await totals(stored, service.run(now), 1, 2);
    assert.deepEqual(known?.sums.missing, [{ start: START + 30 * HOUR, end: START + 31 * HOUR }]);
    const { length } = service.requests;
    await totals(stored, service.run(now + 60_000), 1, 2);
    assert.equal(service.requests.length, length, "not due yet");
    service.records = records;
    const [revised] = await totals(stored, service.run(now + 60_000, true), 1, 2);
    assert.deepEqual([revised?.revision, revised?.sums.missing], [2, []]);
    assert.deepEqual((await totals(stored, service.run(now + DAY), 1, 2))[0]?.revision, 2);
  });

  it("leaves a day with holes as it is once it has been asked for over 72 hours, not while nobody could ask", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    service.records = service.records.filter((_one, index) => index !== 30);
    let now = START + 3 * DAY;
    const isAsked = async (after: number): Promise<boolean> => {
      const { length } = service.requests;
      await totals(stored, service.run((now += after)), 1, 2);
      return service.requests.length > length;
    };
    assert.ok(await isAsked(0));
    assert.ok(await isAsked(200 * HOUR));
    assert.ok(await isAsked(200 * HOUR));
    for (let hour = 0; hour < 61; hour += 1) assert.ok(await isAsked(HOUR), String(hour));
    assert.equal(await isAsked(HOUR), false);
    assert.equal(await isAsked(200 * HOUR), false);
  });

  it("reads a day again that a clock which ran ahead took for over", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const present = START + 2 * DAY + 10 * HOUR;
    const { records } = service;
    service.records = records.filter(({ end }) => end <= present);
    // A year ahead.
    await totals(stored, service.run(present + 365 * DAY), 2, 3);
    service.records = records;
    for (const hours of [0, 15]) {
      const now = present + hours * HOUR;
      const [day] = await totals(stored, service.run(now), 2, 3);
      assert.equal(day?.sums.end, Math.min(now, START + 3 * DAY));
      assert.deepEqual(day.sums.missing, []);
    }
  });

  it("keeps what it knows of a month when the clock runs behind for a while", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const present = START + 4 * DAY;
    await totals(stored, service.run(present), 0, 4);
    await totals(stored, service.run(START + DAY + 10 * HOUR), 1, 2);
    const { length } = service.requests;
    const days = await totals(stored, service.run(present), 2, 4);
    assert.deepEqual(
      days.map(({ sums }) => sums.missing),
      [[], []],
    );
    // Of the day that was taken for the running one.
    assert.equal(service.requests.length, length + 1);
  });

  it("sends days that no run has read, once there are runs again", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const yesterday = async (now: number, withSkipped = true): Promise<string[]> => {
      const sent: DayTotals[] = [];
      const earlier = sending(sent, withSkipped);
      const system = new SystemDays(stored, RULE, { ...service.run(now), earlier });
      const asked = await system.read(CALENDAR.days(CALENDAR.period("yesterday", now)));
      return [...sent, ...asked].map(({ day }) => day.date);
    };
    assert.deepEqual(await yesterday(START + DAY + HOUR), ["2026-05-04"]);
    assert.deepEqual(await yesterday(START + 4 * DAY + HOUR), ["2026-05-05", "2026-05-06", "2026-05-07"]);
    assert.deepEqual(await yesterday(START + 4 * DAY + 2 * HOUR), ["2026-05-07"]);
  });

  for (const period of ["today", "yesterday"] as const)
    it(`asks with growing pauses for a day before ${period} that cannot be read, once in a run`, async () => {
      const [service, stored] = [new Service(), new StoredDays()];
      let failing = [1];
      let requests = 0;
      /** The days that were sent, whether one has failed, and how often one that fails was asked for. */
      const after = async (hours: number): Promise<string> => {
        const now = START + hours * HOUR;
        const run = service.run(now);
        requests = 0;
        const read: DayRun["read"] = (span) => {
          const isFailing = failing.some(
            (day) => span.start < START + (day + 1) * DAY && span.end > START + day * DAY,
          );
          if (!isFailing) return run.read(span);
          // The day after is read with the moment before it, at the same time.
          if (span.start < START + 2 * DAY - 5000) requests += 1;
          throw new UnreadableSpan(new ResponseError(errorText("answerPages", { pages: 1 })));
        };
        const sent: DayTotals[] = [];
        const failed: string[] = [];
        const earlier = sending(sent, period === "yesterday");
        const system = new SystemDays(stored, RULE, { ...run, read, earlier });
        await system.read(CALENDAR.days(CALENDAR.period(period, now)).filter(({ start }) => start < now));
        await system.saved().catch(() => failed.push("failed"));
        return [...sent.map(({ day }) => day.date.slice(-2)), ...failed, requests].join(" ");
      };
      const first = period === "today" ? 10 : 25;
      await after(first);
      // Once, also without the moment before it.
      assert.equal(await after(first + 48), "failed 2");
      assert.equal(await after(first + 48 + 0.05), "0");
      assert.equal(await after(first + 48 + 0.1), "2");
      assert.equal(await after(first + 48 + 0.15), "0");
      // The pause has grown to an hour, and the next day is no reason to ask earlier.
      assert.equal(await after(first + 54), "2");
      assert.equal(await after(first + 54.9), "0");
      failing = [];
      assert.equal(await after(first + 54.95), "0");
      assert.match(await after(first + 55.1), period === "today" ? /^0$/ : /^05 0$/);
      assert.match(await after(first + 57), /^0$/);
    });

  it("sends a day of three weeks ago again once its price was corrected", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const now = START + 25 * DAY;
    const priced = (price: number): DayRule => {
      const importPrice = [
        { start: START, end: START + DAY, price: 0.3 },
        { start: START + DAY, end: START + 2 * DAY, price },
        { start: START + 2 * DAY, end: now, price: 0.3 },
      ];
      const keyOf = ({ start, end }: TimeWindow): string =>
        JSON.stringify(pricesBetween(importPrice, start, end));
      return { ...RULE, money: { ...MONEY, importPrice }, keyOf, hasDatedPrices: true };
    };
    await totals(stored, service.run(now), 0, 25, priced(0.3));
    const sent: DayTotals[] = [];
    const run = { ...service.run(now), earlier: sending(sent) };
    const days = CALENDAR.days({ start: START + 24 * DAY, end: now });
    await new SystemDays(stored, priced(0.5), run).read(days);
    // 1.8 kWh at 0.50.
    assert.deepEqual(
      sent.map(({ day, revision, sums }) => [day.date, revision, sums.amounts.money.cost?.toFixed(6)]),
      [["2026-05-05", 2, "0.900000"]],
    );
  });

  it("revises a day once an earlier one is read that changes what the battery held", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    // 300 of the first day's night charge remain for the second day.
    service.records = [
      record(0, 720, { imported: 300, charged: 300, stored: 300 }),
      record(720, 1440, { stored: 300 }),
      record(1440, 2160, { discharged: 300, consumed: 300, stored: 0 }),
      record(2160, 2880, { imported: 50, consumed: 50, stored: 0 }),
    ];
    const run = service.run(START + 3 * DAY);
    const [alone] = await totals(stored, run, 1, 2);
    assert.deepEqual([alone?.sums.amounts.use.ownUsed, alone?.revision], [300, 1]);
    const [, after] = await totals(stored, run, 0, 2);
    assert.deepEqual([after?.sums.amounts.use.ownUsed, after?.revision], [0, 2]);
  });

  it("computes a day again when its prices change", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const run = service.run(START + 3 * DAY);
    await totals(stored, run, 1, 2);
    const { length } = service.requests;
    await totals(stored, run, 1, 2, { ...RULE, keyOf: () => "other" });
    assert.ok(service.requests.length > length);
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
    // A site that stays silent costs no more than one search for what comes after it.
    const silent = new Service();
    silent.records = all.slice(0, 12);
    await totals(new StoredDays(), silent.run(START + 20 * DAY), 0, 20);
    assert.ok(silent.requests.length <= 45, String(silent.requests.length));
    // Each day by itself, as a schedule reads them.
    const [stored, sent] = [new StoredDays(), new Map<string, unknown>()];
    for (let hour = 25; hour < 120; hour += 1) {
      const now = START + hour * HOUR;
      const earlier = sending([], true);
      earlier.send = (one) => Promise.resolve(sent.set(one.day.date, consumed([one])[0]));
      const system = new SystemDays(stored, RULE, { ...service.run(now), earlier });
      for (const one of await system.read(CALENDAR.days(CALENDAR.period("yesterday", now))))
        sent.set(one.day.date, consumed([one])[0]);
    }
    assert.deepEqual([...sent.values()], [2400, 2400, 2400, 2400]);
  });

  it("finishes a day that had begun before it goes on, also over a few days in which nobody asked", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    await totals(stored, service.run(START + 12 * HOUR), 0, 1);
    const [third] = await totals(stored, service.run(START + 3 * DAY), 2, 3);
    // What was charged at night is from the grid: the rest of the first day and the second were read, too.
    assert.equal(third?.sums.amounts.use.ownUsed, 0);
    const { length } = service.requests;
    const [first] = await totals(stored, service.run(START + 3 * DAY), 0, 3);
    assert.deepEqual([first?.revision, service.requests.length], [1, length]);
  });

  it("revises a day once an earlier one was read, however long after it that comes", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    // Charged from the grid on the first day, and used up slowly.
    service.records = Array.from({ length: 96 }, (_none, hour) =>
      hour < 24
        ? record(hour * 60, hour * 60 + 60, { imported: 100, charged: 100, stored: 100 * (hour + 1) })
        : record(hour * 60, hour * 60 + 60, {
            discharged: 20,
            consumed: 20,
            stored: 2400 - 20 * (hour - 23),
          }),
    );
    const run = service.run(START + 4 * DAY, true);
    const own = ([day]: DayTotals[]): unknown => [day?.sums.amounts.use.ownUsed, day?.revision];
    await totals(stored, run, 1, 4);
    assert.deepEqual(own(await totals(stored, run, 3, 4)), [480, 1]);
    await totals(stored, run, 0, 1);
    assert.deepEqual(own(await totals(stored, run, 3, 4)), [0, 2]);
    const { length } = service.requests;
    await totals(stored, run, 0, 4);
    assert.equal(service.requests.length, length);
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

  it("keeps what comes after a day that cannot be read, and computes it again once that day is there", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const run = service.run(START + 4 * DAY);
    let isFailing = true;
    const read: DayRun["read"] = async (span) => {
      if (isFailing && span.start < START + 2 * DAY && span.end > START + DAY)
        throw new UnreadableSpan(new ResponseError(errorText("answerPages", { pages: 1 })));
      return run.read(span);
    };
    const days = CALENDAR.days({ start: START + DAY, end: START + 4 * DAY });
    const system = (): SystemDays => new SystemDays(stored, RULE, { ...run, read });
    await assert.rejects(system().read(days), { code: "ENERGY_RESPONSE" });
    const { length } = service.requests;
    await system().read(days.slice(1));
    assert.equal(service.requests.length, length, "both days are kept");
    isFailing = false;
    const all = await system().read(days);
    assert.deepEqual(
      all.map(({ sums }) => sums.amounts.use.ownUsed),
      [0, 0, 0],
    );
  });

  it("does not ask a service that keeps a month for each day of a year", async () => {
    const service = new Service();
    const run = service.run(START + 400 * DAY);
    let requests = 0;
    const read: DayRun["read"] = () => {
      requests += 1;
      return Promise.reject(new UnreadableSpan(new ResponseError(errorText("answerPages", { pages: 1 }))));
    };
    await assert.rejects(totals(new StoredDays(), { ...run, read }, 0, 365), { code: "ENERGY_RESPONSE" });
    assert.ok(requests <= 12, String(requests));
  });

  it("keeps no more days than it may, and no month before them", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    // 4 May to 7 May: the first two are not kept.
    stored.months.set("2026-04", "[]");
    await totals({ of: stored.of, since: "2026-05-06" }, service.run(START + 4 * DAY), 0, 4);
    assert.deepEqual(
      KNOWN_DAYS_FORM.read(JSON.parse(stored.months.get("2026-05") ?? ""))?.map(({ date }) => date),
      ["2026-05-06", "2026-05-07"],
    );
    assert.equal(stored.months.has("2026-04"), false);
  });
});
