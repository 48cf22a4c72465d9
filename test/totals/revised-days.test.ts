// Tests for days of a system that are read, computed or sent again: holes, failures, prices, and what came late.
import assert from "node:assert/strict";
import { errorText, ResponseError } from "../../src/errors";
import type { MoneyRule } from "../../src/totals/money";
import { isInWindow, type TimeWindow } from "../../src/time-units";
import { constantPrice, pricesBetween } from "../../src/totals/prices";
import { failed as failedWindow, type WindowRecords } from "../../src/reading/window-records";
import { type DayRun, type DayTotals, type PricedDayRule, SystemDays } from "../../src/totals/system-days";
import { record, START } from "./energy";
import { CALENDAR, DAY, HOUR, readFrom, RULE, sending, Service, totals } from "./day-service";
import { StoredDays } from "./stored-days";

const MONEY: MoneyRule = {
  importPrice: undefined,
  exportPrice: constantPrice(0.1),
  fixed: 0,
  fixedPer: "day",
  netting: "none",
  delivery: 0,
};

/** What is read of a span that fails by itself. */
function unreadable(span: TimeWindow): Promise<WindowRecords> {
  return Promise.resolve(failedWindow(span, new ResponseError(errorText("answerPages", { pages: 1 }))));
}

describe("days of a system that are read again", () => {
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
    const failing = { ...service.run(now + 60_000, true), read: unreadable };
    await assert.rejects(totals(stored, failing, 1, 2), { code: "ENERGY_RESPONSE" });
    service.records = records;
    const [revised] = await totals(stored, service.run(now + 60_000, true), 1, 2);
    assert.deepEqual([revised?.revision, revised?.sums.missing], [2, []]);
    assert.deepEqual((await totals(stored, service.run(now + DAY), 1, 2))[0]?.revision, 2);
  });

  it("leaves a day with holes as it is once it has been requested over 72 hours, not while requests were impossible", async () => {
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
    // Of each pause, six hours count.
    for (let hours = 12; hours < 72; hours += 5) assert.ok(await isAsked(5 * HOUR), String(hours));
    assert.ok(await isAsked(HOUR));
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
    assert.equal(service.requests.length, length, "also of the day that was taken for the running one");
  });

  it("never sends a day again at the same revision, nor gives it up, because the clock was ahead for days", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const { records } = service;
    /** The revision of the third day, and what it lacks, in a run after so many hours with a clock that is ahead by so many. */
    const thirdDay = async (after: number, ahead: number): Promise<[number?, number?]> => {
      service.records = records.filter(({ end }) => end <= START + after * HOUR);
      const [day] = await totals(stored, service.run(START + (after + ahead) * HOUR), 2, 3);
      return [day?.revision, day?.sums.missing.length];
    };
    // Requested over 72 hours.
    for (let after = -60; after < 48; after += 1) assert.deepEqual(await thirdDay(after, 200), [1, 1]);
    // It runs, and is over.
    assert.deepEqual(await thirdDay(60, 0), [1, 0]);
    assert.deepEqual(await thirdDay(73, 0), [2, 0]);
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
      /** The days that were sent, whether one has failed, and how often one that fails was requested. */
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
          return unreadable(span);
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
    const priced = (price: number): PricedDayRule => {
      const importPrice = [
        { start: START, end: START + DAY, price: 0.3 },
        { start: START + DAY, end: START + 2 * DAY, price },
        { start: START + 2 * DAY, end: now, price: 0.3 },
      ];
      const keyOf = async ({ start, end }: TimeWindow): Promise<string> =>
        JSON.stringify(pricesBetween(importPrice, start, end));
      return { ...RULE, moneyIn: async () => ({ ...MONEY, importPrice }), keyOf, hasDatedPrices: true };
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
    // Another price of all times is no correction of what was sent.
    await new SystemDays(stored, { ...priced(0.7), hasDatedPrices: false }, run).read(days);
    assert.equal(sent.length, 1);
  });

  it("does not send a day with each run that is in the store, but no longer kept", async () => {
    const service = new Service();
    const now = START + 30 * DAY;
    const stored = new StoredDays();
    const rule = { ...RULE, hasDatedPrices: true };
    await totals(stored, service.run(now), 0, 30, rule);
    // As in a fleet that has grown.
    const fewer = new StoredDays("2026-05-28");
    for (const [month, days] of stored.months) fewer.months.set(month, days);
    const sent: DayTotals[] = [];
    const importPrice = constantPrice(0.5);
    const corrected = {
      ...rule,
      moneyIn: async () => ({ ...MONEY, importPrice }),
      keyOf: async ({ start }: TimeWindow) => (start === START + 2 * DAY ? "corrected" : "rule"),
    };
    for (let run = 0; run < 2; run += 1)
      await new SystemDays(fewer, corrected, { ...service.run(now), earlier: sending(sent) }).read(
        CALENDAR.days({ start: now - HOUR, end: now }),
      );
    assert.deepEqual(sent, []);
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

  it("knows what the battery held before the first day that is kept, when that is computed again", async () => {
    const [service, stored, fewer] = [new Service(), new StoredDays(), new StoredDays("2026-05-05")];
    service.records = [
      record(0, 1440, { imported: 300, charged: 300, stored: 300 }),
      record(1440, 2880, { discharged: 300, consumed: 300, stored: 0 }),
    ];
    const run = service.run(START + 3 * DAY);
    const [, day] = await totals(stored, run, 0, 2);
    for (const [month, days] of stored.months) fewer.months.set(month, days);
    const [again] = await totals(fewer, run, 1, 2, { ...RULE, keyOf: async () => "other" });
    assert.deepEqual([again?.sums.amounts.use, again?.revision], [day?.sums.amounts.use, 1]);
  });

  it("revises the first day of a week once a late record of the day before it says what the battery held", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const records = service.records.map((_one, hour) => {
      const isCharged = hour >= 20 && hour < 27;
      const told = isCharged ? { stored: 100 } : {};
      const charge = hour === 20 ? { imported: 100, charged: 100 } : {};
      const use = hour === 27 ? { discharged: 100, consumed: 100 } : {};
      return record(hour * 60, hour * 60 + 60, { ...told, ...charge, ...use });
    });
    service.records = records.filter((_one, hour) => hour !== 20);
    const own = async (now: number, from: number): Promise<unknown[]> =>
      (await totals(stored, service.run(now), from, from + 1)).map(({ sums, revision }) => [
        sums.amounts.use.ownUsed,
        revision,
      ]);
    await own(START + DAY, 0);
    assert.deepEqual(await own(START + 2 * DAY, 1), [[100, 1]]);
    service.records = records;
    // The schedule of a week sends no day before it.
    assert.deepEqual(await own(START + 2 * DAY + HOUR, 1), [[0, 2]]);
  });

  it("computes a day again when its prices change", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const run = service.run(START + 3 * DAY);
    await totals(stored, run, 1, 2);
    const { length } = service.requests;
    await totals(stored, run, 1, 2, { ...RULE, keyOf: async () => "other" });
    assert.ok(service.requests.length > length);
  });

  it("keeps what it knows of a day whose records are gone, or cannot be read, when its prices change", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    let now = START + 3 * DAY;
    const first = await totals(stored, service.run(now), 0, 2);
    const { records } = service;
    const energies = async (key: string, isFailing = false): Promise<unknown[]> => {
      const rule = { ...RULE, keyOf: async () => key };
      const { read } = service.run(now);
      const isPart = ({ start }: TimeWindow): boolean => isFailing && start < START + DAY - HOUR;
      const failing: DayRun["read"] = async (span) =>
        isPart(span) ? { ...(await read(span)), missing: (await unreadable(span)).missing } : read(span);
      const days = await totals(stored, { ...service.run(now), read: failing }, 0, 2, rule);
      assert.deepEqual(
        days.map(({ revision }) => revision),
        [1, 1],
      );
      return days.map(({ sums }) => sums.amounts.energy);
    };
    const expected = first.map(({ sums }) => sums.amounts.energy);
    service.records = records.filter((_one, index) => index !== 5);
    assert.deepEqual(await energies("other", true), expected);
    service.records = records.slice(30);
    // Requested again with growing pauses, as it has not been priced anew.
    for (const [pause, isDue] of [
      [0, false],
      [HOUR, true],
      [HOUR / 2, false],
      [HOUR / 2, true],
    ] as const) {
      now += pause;
      const { length } = service.requests;
      assert.deepEqual(await energies("other"), expected);
      assert.equal(service.requests.length > length, isDue);
    }
  });

  it("has no hour that lacks now what it had when its day was read, and says why", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    // This one is as it was.
    service.records = service.records.filter((_one, hour) => hour !== 40);
    const [run, rule] = [service.run(START + 3 * DAY), { ...RULE, split: "hour" as const }];
    const [first] = await totals(stored, run, 1, 2, rule);
    const hole = { start: START + 30 * HOUR, end: START + 32 * HOUR };
    const read: DayRun["read"] = async (span) => {
      const { records, ...others } = await run.read(span);
      const { missing } = await unreadable(hole);
      return { ...others, records: records.filter((one) => !isInWindow(one, hole)), missing };
    };
    const days = new SystemDays(stored, rule, { ...run, read });
    const [again] = await days.read(CALENDAR.days({ start: START + DAY, end: START + 2 * DAY }));
    assert.deepEqual(again?.sums, first?.sums);
    const isKept = ({ start }: TimeWindow): boolean => start < hole.start || start >= hole.end;
    assert.deepEqual(
      again?.parts.map(({ start }) => start),
      first?.parts.filter(isKept).map(({ start }) => start),
    );
    await assert.rejects(days.saved(), { code: "ENERGY_RESPONSE" });
  });

  it("reports no hour of an earlier day that is retried in vain: it would not be sent", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    service.records = service.records.filter((_one, hour) => hour !== 30);
    const now = START + 3 * DAY;
    const rule = { ...RULE, split: "hour" as const };
    await totals(stored, service.run(now), 1, 3, rule);
    const run = service.run(now + HOUR);
    const hole = { start: START + 30 * HOUR, end: START + 32 * HOUR };
    const read: DayRun["read"] = async (span) => {
      const { records, ...others } = await run.read(span);
      const missing = isInWindow(hole, span) ? (await unreadable(hole)).missing : [];
      return { ...others, records: records.filter((one) => !isInWindow(one, hole)), missing };
    };
    const sent: DayTotals[] = [];
    const days = new SystemDays(stored, rule, { ...run, read, earlier: sending(sent) });
    const { length } = service.requests;
    await days.read(CALENDAR.days({ start: now, end: now + HOUR }));
    assert.ok(service.requests.length > length + 1);
    assert.deepEqual(sent, []);
    await days.saved();
  });

  it("computes a day again for other prices once its records are there, although one answer had none", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const now = START + 3 * DAY;
    await totals(stored, service.run(now), 1, 2);
    const rule = { ...RULE, keyOf: async () => "other", moneyIn: async () => MONEY };
    const { records } = service;
    const priced = async (run: DayRun): Promise<unknown[]> => {
      const [day] = await totals(stored, run, 1, 2, rule);
      return [day?.revision, day?.sums.amounts.money.priced];
    };
    service.records = [];
    assert.deepEqual(await priced(service.run(now)), [1, undefined]);
    service.records = records;
    assert.deepEqual(await priced(service.run(now)), [1, undefined], "not due yet");
    assert.deepEqual(await priced(service.run(now, true)), [2, 1800]);
    const { length } = service.requests;
    assert.deepEqual(await priced(service.run(now + DAY, true)), [2, 1800]);
    assert.equal(service.requests.length, length);
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

  it("keeps what comes after a day that cannot be read, and computes it again once that day is there", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const run = service.run(START + 4 * DAY);
    let isFailing = true;
    const read: DayRun["read"] = async (span) => {
      if (isFailing && span.start < START + 2 * DAY && span.end > START + DAY) return unreadable(span);
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

  it("takes no day for one that cannot be read where the service answers nothing at all", async () => {
    const [service, stored] = [new Service(), new StoredDays()];
    const error = new Error("no answer");
    const run = { ...service.run(START + 3 * DAY), read: () => Promise.reject(error) };
    await assert.rejects(totals(stored, run, 0, 2), error);
    assert.equal(stored.months.size, 0);
  });

  it("fails for an earlier day only on a schedule, and only if that day was never read", async () => {
    const service = new Service();
    const all = service.records;
    const now = START + 3 * DAY;
    /** Whether a run for the third day fails because of the second one, of which this many hours are known. */
    const isFailing = async (hours: number, isScheduled: boolean): Promise<boolean> => {
      const stored = new StoredDays();
      service.records = all.filter((_one, index) => index < 24 + hours);
      await totals(stored, service.run(START + 2 * DAY), 0, hours > 0 ? 2 : 1);
      const read: DayRun["read"] = (span) =>
        span.end > START + DAY && span.start < START + 2 * DAY - 5000
          ? unreadable(span)
          : readFrom(all, span);
      const earlier = isScheduled ? sending([]) : undefined;
      const system = new SystemDays(stored, RULE, { ...service.run(now, !isScheduled), read, earlier });
      await system.read(CALENDAR.days({ start: START + 2 * DAY, end: now }));
      return system.saved().then(
        () => false,
        () => true,
      );
    };
    assert.deepEqual(
      [await isFailing(0, true), await isFailing(0, false), await isFailing(10, true)],
      [true, false, false],
    );
  });

  it("does not ask a service that keeps a month for each day of a year", async () => {
    const service = new Service();
    const run = service.run(START + 400 * DAY);
    let requests = 0;
    const read: DayRun["read"] = (span) => {
      requests += 1;
      return unreadable(span);
    };
    await assert.rejects(totals(new StoredDays(), { ...run, read }, 0, 365), { code: "ENERGY_RESPONSE" });
    assert.ok(requests <= 12, String(requests));
  });
});
