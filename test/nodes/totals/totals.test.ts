// Tests for totals: energy, flows and money of a period from the service's records, each day read once.
import assert from "node:assert/strict";
import sinon from "sinon";
import { PREVIEW_VERSION } from "../../../src/settings/rules";
import type { TotalsMessage } from "../../../src/messages/messages";
import { DAY, HOUR, MINUTE } from "../../../src/time-units";
import { startService } from "../../support/service";
import { HOUSE, NOW, TotalsNode } from "../../support/totals-node";

describe("totals", () => {
  const totals = new TotalsNode();

  it("adds up yesterday in local days of the site, and answers the message", async () => {
    await totals.start({ ...HOUSE, period: "yesterday" });
    const { payload, energy, topic, systemId } = await totals.read({ other: "survives" });
    assert.equal(topic, "demo-house/demo-house-1");
    assert.equal(systemId, "demo-house-1");
    assert.equal(payload.startTime, "2026-05-05T00:00:00+02:00");
    assert.equal(payload.endTime, "2026-05-06T00:00:00+02:00");
    assert.equal(payload.timezone, "Europe/Berlin");
    assert.deepEqual(
      [payload.quality.coverage, payload.quality.complete, payload.quality.basis],
      [1, true, "ac"],
    );
    assert.equal(payload.money, null);
    assert.ok((payload.energy.solar ?? 0) > 5 && (payload.energy.consumed ?? 0) > 5);
    assert.deepEqual(payload.quality.mismatch, {});
    assert.deepEqual(energy, {
      kind: "totals",
      siteName: "Demo house",
      period: "yesterday",
      split: "none",
      unit: "kWh",
      startTime: payload.startTime,
      endTime: payload.endTime,
      revision: 1,
    });
    await totals.node.completed();
    assert.match(totals.node.statuses().at(-1) ?? "", /^Yesterday: [\d.]+ kWh used, \d+ % self-sufficient$/);
  });

  for (const [currency, saved] of [
    ["EUR", /, saved -?\d+\.\d\d EUR$/],
    ["JPY", /, saved -?\d+ JPY$/],
  ] as const) {
    it(`shows what was saved with the decimals of ${currency}`, async () => {
      await totals.start({ ...HOUSE, period: "yesterday", importPrice: "31", exportPrice: "8", currency });
      await totals.read();
      await totals.node.completed();
      assert.match(totals.node.statuses().at(-1) ?? "", saved);
    });
  }

  it("shows no energy in its status where it is unknown what was used", async () => {
    totals.service.changeRecords((_site, _system, record) => ({ ...record, grid: null, consumption: null }));
    await totals.start({ ...HOUSE, period: "yesterday" });
    const { payload } = await totals.read();
    assert.deepEqual([payload.energy.consumed, payload.quality.coverage], [null, 1]);
    await totals.node.completed();
    assert.equal(totals.node.statuses().at(-1), "Yesterday: 1 system");
  });

  it("shows how many systems it has read, also of a site that is listed without them, and that there are none", async () => {
    for (const [sites, status] of [
      [[{ siteId: "demo-twin" }], "Yesterday: 2 systems"],
      [[], "no sites visible to the credentials"],
    ] as const) {
      totals.service.fault({ path: /sites$/, body: { sites } });
      await totals.start({ siteId: "*", systemId: "*", period: "yesterday" }, PREVIEW_VERSION);
      totals.node.input({ payload: "go" });
      await totals.node.completed();
      assert.equal(totals.node.statuses().at(-1), status);
      await totals.node.stop();
    }
  });

  it("reads a day that is over once, also after a restart", async () => {
    await totals.start({ ...HOUSE, period: "yesterday" });
    const first = await totals.read();
    const requests = totals.telemetry();
    const { share, ...again } = (await totals.read()).payload;
    const { share: firstShare, ...others } = first.payload;
    assert.deepEqual(again, others);
    // What is stored is rounded.
    assert.equal(share.selfSufficiency?.toFixed(6), firstShare.selfSufficiency?.toFixed(6));
    assert.equal(totals.telemetry(), requests);
    await totals.node.redeploy();
    assert.deepEqual((await totals.read()).payload.energy, first.payload.energy);
    assert.equal(totals.telemetry(), requests);
  });

  it("follows the service where the local clock has become wrong", async () => {
    await totals.service.close();
    let ahead = 0;
    totals.service = await startService({ now: () => Date.now() + ahead });
    await totals.start({ ...HOUSE, period: "yesterday" });
    const { payload } = await totals.read();
    // The local clock is set forward, and the monotonic one is not.
    ahead = -2 * DAY;
    const since = performance.now() - (NOW - ahead);
    totals.clock.setSystemTime(NOW - ahead);
    Reflect.set(performance, "now", () => since + Date.now());
    assert.equal((await totals.read()).payload.startTime, payload.startTime);
  });

  it("costs one request for today so far", async () => {
    await totals.start({ ...HOUSE, period: "today" });
    await totals.read();
    const requests = totals.telemetry();
    const { payload } = await totals.read();
    assert.equal(totals.telemetry(), requests + 1);
    assert.equal(payload.until, "2026-05-06T12:00:00+02:00");
    assert.equal(payload.endTime, "2026-05-07T00:00:00+02:00");
  });

  it("splits into hours and days that add up", async () => {
    await totals.start({ ...HOUSE, period: "message", split: "day", unit: "Wh" });
    const { payload } = await totals.read({ payload: { day: "2026-05-01", days: 3 } });
    assert.equal(payload.parts?.length, 3);
    const sum = payload.parts.reduce((all, { energy }) => all + (energy.imported ?? 0), 0);
    assert.ok(Math.abs(sum - (payload.energy.imported ?? 0)) < 1e-6);
    await totals.node.redeploy({ split: "hour", period: "yesterday" });
    const hours = (await totals.read()).payload.parts ?? [];
    assert.equal(hours.length, 24);
    assert.equal(hours[1]?.startTime, "2026-05-05T01:00:00+02:00");
  });

  it("values what a record that crosses the end of the period has stored as a longer period does", async () => {
    // Charged from the grid all day, in records that cross midnight.
    totals.service.changeRecords((_site, _system, { startTime, endTime, ...groups }) => {
      const later = (time: string): string => new Date(Date.parse(time) + 2 * MINUTE).toISOString();
      const night = { solar: { energy: 0 }, grid: { energy: 100 }, consumption: { energy: 0 } };
      const storage = { energy: -100, remainingEnergy: 1000 };
      return { ...groups, ...night, storage, startTime: later(startTime), endTime: later(endTime) };
    });
    const importPrice = "$hour < 24 ? 0.3 : 0";
    const tariff = { importPriceType: "jsonata", importPrice, exportPrice: "0.1", split: "hour" };
    await totals.start({ ...HOUSE, period: "message", ...tariff });
    const savings = async (days: number): Promise<unknown[]> => {
      const { payload } = await totals.read({ payload: { day: "2026-05-04", days } });
      return (payload.parts ?? []).slice(0, 24).map(({ money }) => money?.saving);
    };
    assert.deepEqual(await savings(1), await savings(2));
  });

  it("sends a message for every system, and knows what a system cannot measure", async () => {
    await totals.start({ siteId: "*", systemId: "*", period: "yesterday" }, PREVIEW_VERSION);
    totals.node.input({ payload: "go" });
    await totals.node.completed();
    const messages = totals.node.sent<TotalsMessage>();
    assert.ok(messages.length >= 3);
    assert.equal(new Set(messages.map(({ topic }) => topic)).size, messages.length);
    const cabin = messages.find(({ siteId }) => siteId === "demo-cabin")?.payload;
    // Third-party solar is not measured.
    assert.deepEqual([cabin?.energy.solar, cabin?.flows, cabin?.share.selfSufficiency], [null, null, null]);
    assert.ok((cabin?.quality.thirdPartySolar ?? 0) > 0 && cabin?.share.selfSufficiencyGrid !== null);
    const balcony = messages.find(({ siteId }) => siteId === "demo-balcony")?.payload;
    // What is not there counts as 0 in the balance alone.
    assert.deepEqual([balcony?.energy.charged, balcony?.energy.discharged], [null, null]);
    assert.equal(balcony?.flows?.batteryToHome, 0);
    const farm = messages.find(({ siteId }) => siteId === "demo-farm")?.payload;
    assert.equal(farm?.quality.basis, "mixed");
    const house = messages.find(({ siteId }) => siteId === "demo-house")?.payload;
    assert.deepEqual([house?.quality.coverage, house?.quality.complete], [1, true]);
  });

  it("sends nothing for a system of which a day cannot be read, and keeps the days that were read", async () => {
    await totals.start({ ...HOUSE, period: "message", split: "day" });
    // Whatever reaches into the second day.
    const isOfSecond = (start = "", end = ""): boolean =>
      start < "2026-05-02T22:00:00.000Z" && end > "2026-05-01T22:00:00.000Z";
    totals.service.fault({
      path: /telemetry/,
      times: Infinity,
      fits: ({ query }) => isOfSecond(query["startTime"], query["endTime"]),
      status: 404,
    });
    totals.node.input({ payload: { day: "2026-05-01", days: 3 } });
    await totals.node.caught();
    assert.equal(totals.node.sent().length, 0);
    totals.service.clearFaults();
    const requests = totals.telemetry();
    assert.equal(
      (await totals.read({ payload: { day: "2026-05-01", days: 1 } })).payload.quality.coverage,
      1,
    );
    assert.equal(totals.telemetry(), requests);
  });

  it("sends a day without a part that cannot be read, says why, and completes it once it can be read", async () => {
    await totals.start({ ...HOUSE, period: "yesterday" });
    // Whatever reaches into the fourth hour of the day.
    totals.service.fault({
      path: /telemetry/,
      times: Infinity,
      fits: ({ query }) =>
        String(query["startTime"]) < "2026-05-05T02:00:00.000Z" &&
        String(query["endTime"]) > "2026-05-05T01:00:00.000Z",
      status: 404,
    });
    totals.node.input({ payload: "go" });
    const { payload } = await totals.node.output<TotalsMessage>();
    const { error } = await totals.node.caught();
    assert.match(error.message, /404/);
    assert.deepEqual(payload.quality.missing, [
      { startTime: "2026-05-05T03:00:00+02:00", endTime: "2026-05-05T04:00:00+02:00" },
    ]);
    totals.service.clearFaults();
    const { quality } = (await totals.read()).payload;
    assert.deepEqual([quality.coverage, quality.revision], [1, 2]);
  });

  it("serves messages that wait for the same totals with one run, and completes them all", async () => {
    await totals.start({ ...HOUSE, period: "today" });
    await totals.read();
    await totals.node.completed();
    const requests = totals.telemetry();
    for (const payload of [1, 2, 3, 4]) totals.node.input({ payload, order: payload });
    for (let count = 0; count < 4; count += 1) await totals.node.completed();
    // At most the first by itself, and one run for those that waited meanwhile.
    assert.ok(totals.telemetry() <= requests + 2, `${totals.telemetry() - requests} requests`);
    const sent = totals.node.sent<TotalsMessage & { order?: number }>().slice(1);
    assert.deepEqual(
      sent.map(({ order }) => order),
      [1, 2, 3, 4],
    );
    assert.deepEqual(sent[3]?.payload.energy, sent[1]?.payload.energy);
    await totals.node.redeploy({ period: "message" });
    const days = ["2026-05-01", "2026-05-02", "2026-05-03"];
    for (const day of days) totals.node.input({ payload: { day } });
    for (let count = 0; count < 3; count += 1) await totals.node.completed();
    assert.deepEqual(
      totals.node
        .sent<TotalsMessage>()
        .slice(-3)
        .map(({ payload }) => payload.startTime.slice(0, 10)),
      days,
    );
  });

  it("makes no text of a large payload to compare it: a buffer of 20 MB would hold the event loop", async () => {
    await totals.start({ ...HOUSE, period: "message" });
    const toJSON = sinon.spy(() => "");
    totals.node.input({ payload: Object.assign(Buffer.alloc(70_000), { toJSON }) });
    const { energy } = await totals.node.caught();
    assert.deepEqual([energy.error.code, toJSON.callCount], ["ENERGY_INPUT", 0]);
  });

  it("says what is missing, and sends a day again once its records have come", async () => {
    const gap = { start: NOW - DAY, end: NOW - DAY + HOUR };
    totals.service.hideRecords((_site, _system, { startTime }) => {
      const time = Date.parse(startTime);
      return time >= gap.start && time < gap.end;
    });
    await totals.start({ ...HOUSE, period: "yesterday" });
    const { payload } = await totals.read();
    assert.ok(payload.quality.coverage < 1 && !payload.quality.complete);
    assert.equal(payload.quality.missing.length, 1);
    assert.ok((payload.quality.estimated.consumed ?? 0) > 0);
    await totals.node.completed();
    assert.match(totals.node.statuses().at(-1) ?? "", /95 % known/);
    totals.service.hideRecords(undefined);
    totals.clock.setSystemTime(NOW + 10 * MINUTE);
    const again = (await totals.read()).payload;
    assert.deepEqual([again.quality.coverage, again.quality.revision], [1, 2]);
  });

  it("warns of no record after midnight until the first one is late", async () => {
    const midnight = Date.parse("2026-05-05T22:00:00Z");
    totals.service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > midnight);
    await totals.start({ ...HOUSE, period: "today" });
    for (const [time, status] of [
      [midnight + 2 * MINUTE, "Today so far: 1 system"],
      [midnight + 3 * HOUR, "Today so far: 0 % known"],
    ] as const) {
      totals.clock.setSystemTime(time);
      await totals.read();
      await totals.node.completed();
      assert.equal(totals.node.statuses().at(-1), status);
    }
  });

  it("knows a week after midnight as far as its records, and misses those that do not come", async () => {
    const midnight = Date.parse("2026-05-05T22:00:00Z");
    totals.service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > midnight - 10 * MINUTE);
    await totals.start({ ...HOUSE, period: "week", split: "day", importPrice: "0.3", fixed: 144 });
    for (const [time, until, missing, fixed, status] of [
      [midnight + 2 * MINUTE, "2026-05-05T23:50:00+02:00", 0, 287, /^This week: .* used/],
      [midnight + 3 * HOUR, "2026-05-06T00:00:00+02:00", 1, 288, /^This week: 99 % known$/],
    ] as const) {
      totals.clock.setSystemTime(time);
      const { payload } = await totals.read();
      await totals.node.completed();
      assert.deepEqual(
        [payload.until, payload.quality.missing.length, payload.quality.complete, payload.money?.fixed],
        [until, missing, missing === 0, fixed],
      );
      // That day is over.
      assert.equal(payload.parts?.[1]?.quality.missing.length, 1);
      assert.match(totals.node.statuses().at(-1) ?? "", status);
    }
  });

  for (const [name, message, code] of [
    ["prices that cannot be read", { payload: [{ start: "now", value: 1 }] }, "ENERGY_INPUT"],
    [
      "a range in the future",
      {
        payload: { startTime: "2026-05-20T00:00Z", endTime: "2026-05-21T00:00Z" },
        ...HOUSE,
        period: "message",
      },
      "ENERGY_RANGE",
    ],
    ["a day in the future", { payload: { day: "2026-05-20" }, ...HOUSE, period: "message" }, "ENERGY_RANGE"],
    [
      "three years in hours",
      { payload: { day: "2023-05-01", days: 1096 }, ...HOUSE, period: "message", split: "hour" },
      "ENERGY_RANGE",
    ],
    ["no site", { payload: "go", siteId: undefined }, "ENERGY_INPUT"],
    ["an hour whose price is no number", { payload: "go", ...HOUSE, priceOf: "jsonata" }, "ENERGY_INPUT"],
  ] as const)
    it(`refuses ${name} with ${code}`, async () => {
      const importPriceType = "priceOf" in message ? message.priceOf : "prices";
      const period = "period" in message ? message.period : "yesterday";
      const split = "split" in message ? message.split : "none";
      await totals.start({ period, split, importPriceType, importPrice: '$hour < 6 ? "dear" : 0.2' });
      totals.node.input(message);
      assert.equal((await totals.node.caught()).energy.error.code, code);
    });
});
