// Tests for totals: energy, flows and money of a period from the service's records, each day read once.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import sinon from "sinon";
import type { NodeMessage } from "node-red";
import { PREVIEW_VERSION } from "../../../src/settings/rules";
import type { TotalsMessage, TotalsPart } from "../../../src/messages/messages";
import { DAY, HOUR, MINUTE } from "../../../src/time-units";
import { eventually } from "../../support/eventually";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { usePassingTime } from "../../support/passing-time";
import { startService, type TestService } from "../../support/service";
import { storedLines } from "../../support/stored-states";

/** 12:02 in Berlin, on a day without a change of clocks. */
const NOW = Date.parse("2026-05-06T10:02:00Z");
const HOUSE = { siteId: "demo-house" };

describe("totals", () => {
  let service: TestService;
  let node: NodeUnderTest;
  let clock: ReturnType<typeof usePassingTime>;

  beforeEach(async () => {
    clock = usePassingTime(NOW);
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
    clock.restore();
  });

  async function start(
    properties: Record<string, unknown>,
    apiVersion = "",
    settings: Record<string, unknown> = {},
  ): Promise<void> {
    const account = { baseUrl: service.baseUrl, apiVersion };
    node = await startNode("energy-totals", properties, { account, settings });
  }

  async function read(message: Record<string, unknown> = {}): Promise<TotalsMessage> {
    node.input({ payload: "go", ...message });
    return Promise.race([
      node.output<TotalsMessage>(),
      node.caught().then(({ error }) => assert.fail(error.message)),
    ]);
  }

  const telemetry = (): number => service.requestsTo(/telemetry/).length;

  it("adds up yesterday in local days of the site, and answers the message", async () => {
    await start({ ...HOUSE, period: "yesterday" });
    const { payload, energy, topic, systemId } = await read({ other: "survives" });
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
    await node.completed();
    assert.match(node.statuses().at(-1) ?? "", /^Yesterday: [\d.]+ kWh used, \d+ % self-sufficient$/);
  });

  for (const [currency, saved] of [
    ["EUR", /, saved -?\d+\.\d\d EUR$/],
    ["JPY", /, saved -?\d+ JPY$/],
  ] as const) {
    it(`shows what was saved with the decimals of ${currency}`, async () => {
      await start({ ...HOUSE, period: "yesterday", importPrice: "31", exportPrice: "8", currency });
      await read();
      await node.completed();
      assert.match(node.statuses().at(-1) ?? "", saved);
    });
  }

  it("shows no energy in its status where it is unknown what was used", async () => {
    service.changeRecords((_site, _system, record) => ({ ...record, grid: null, consumption: null }));
    await start({ ...HOUSE, period: "yesterday" });
    const { payload } = await read();
    assert.deepEqual([payload.energy.consumed, payload.quality.coverage], [null, 1]);
    await node.completed();
    assert.equal(node.statuses().at(-1), "Yesterday: 1 system");
  });

  it("shows how many systems it has read, also of a site that is listed without them, and that there are none", async () => {
    for (const [sites, status] of [
      [[{ siteId: "demo-twin" }], "Yesterday: 2 systems"],
      [[], "no sites visible to the credentials"],
    ] as const) {
      service.fault({ path: /sites$/, body: { sites } });
      await start({ siteId: "*", systemId: "*", period: "yesterday" }, PREVIEW_VERSION);
      node.input({ payload: "go" });
      await node.completed();
      assert.equal(node.statuses().at(-1), status);
      await node.stop();
    }
  });

  it("reads a day that is over once, also after a restart", async () => {
    await start({ ...HOUSE, period: "yesterday" });
    const first = await read();
    const requests = telemetry();
    const { share, ...again } = (await read()).payload;
    const { share: firstShare, ...others } = first.payload;
    assert.deepEqual(again, others);
    // What is stored is rounded.
    assert.equal(share.selfSufficiency?.toFixed(6), firstShare.selfSufficiency?.toFixed(6));
    assert.equal(telemetry(), requests);
    await node.redeploy();
    assert.deepEqual((await read()).payload.energy, first.payload.energy);
    assert.equal(telemetry(), requests);
  });

  it("follows the service where the local clock has become wrong", async () => {
    await service.close();
    let ahead = 0;
    service = await startService({ now: () => Date.now() + ahead });
    await start({ ...HOUSE, period: "yesterday" });
    const { payload } = await read();
    // The local clock is set forward, and the monotonic one is not.
    ahead = -2 * DAY;
    const since = performance.now() - (NOW - ahead);
    clock.setSystemTime(NOW - ahead);
    Reflect.set(performance, "now", () => since + Date.now());
    assert.equal((await read()).payload.startTime, payload.startTime);
  });

  it("costs one request for today so far", async () => {
    await start({ ...HOUSE, period: "today" });
    await read();
    const requests = telemetry();
    const { payload } = await read();
    assert.equal(telemetry(), requests + 1);
    assert.equal(payload.until, "2026-05-06T12:00:00+02:00");
    assert.equal(payload.endTime, "2026-05-07T00:00:00+02:00");
  });

  it("splits into hours and days that add up", async () => {
    await start({ ...HOUSE, period: "message", split: "day", unit: "Wh" });
    const { payload } = await read({ payload: { day: "2026-05-01", days: 3 } });
    assert.equal(payload.parts?.length, 3);
    const sum = payload.parts.reduce((all, { energy }) => all + (energy.imported ?? 0), 0);
    assert.ok(Math.abs(sum - (payload.energy.imported ?? 0)) < 1e-6);
    await node.redeploy({ split: "hour", period: "yesterday" });
    const hours = (await read()).payload.parts ?? [];
    assert.equal(hours.length, 24);
    assert.equal(hours[1]?.startTime, "2026-05-05T01:00:00+02:00");
  });

  it("computes money from numbers, from a property, and from price messages, which trigger no run", async () => {
    await start({ ...HOUSE, period: "yesterday", importPrice: "0.3", exportPrice: "0.1", currency: "CHF" });
    const fixed = (await read()).payload;
    assert.equal(fixed.money?.currency, "CHF");
    const { imported, exported } = fixed.energy;
    assert.ok(Math.abs((fixed.money?.import ?? 0) - (imported ?? 0) * 0.3) < 1e-6);
    assert.ok(Math.abs((fixed.money?.revenue ?? 0) - (exported ?? 0) * 0.1) < 1e-6);
    // A flow that a program wrote may have numbers.
    await node.redeploy({ importPrice: 0.3, exportPrice: 0 });
    const { money } = (await read()).payload;
    assert.deepEqual([money?.import, money?.revenue], [fixed.money?.import, 0]);
    await node.redeploy({ importPriceType: "flow", importPrice: "price" });
    node.setContext("flow", "price", 0.5);
    const property = (await read()).payload;
    assert.ok(Math.abs((property.money?.import ?? 0) - (imported ?? 0) * 0.5) < 1e-6);
    node.setContext("flow", "price", [
      { start: "2026-05-01T00:00:00Z", end: "2026-06-01T00:00:00Z", value: 0.6 },
    ]);
    const listed = (await read()).payload;
    assert.ok(Math.abs((listed.money?.import ?? 0) - (imported ?? 0) * 0.6) < 1e-6);
    await node.redeploy({
      importPriceType: "prices",
      importPrice: "",
      exportPriceType: "num",
      exportPrice: "",
    });
    const requests = service.requests.length;
    const start0 = Date.parse("2026-05-04T22:00:00Z");
    const prices = Array.from({ length: 24 }, (_none, hour) => ({
      start: new Date(start0 + hour * HOUR).toISOString(),
      value: 0.2,
    }));
    node.input({ payload: prices });
    await node.completed();
    assert.equal(service.requests.length, requests);
    const priced = (await read()).payload;
    assert.ok(Math.abs((priced.money?.import ?? 0) - (imported ?? 0) * 0.2) < 1e-6);
    assert.deepEqual([priced.money?.priced, priced.money?.revenue, priced.money?.net], [1, null, null]);
    // A price that is sent again corrects the day.
    node.input({ payload: prices.map((step) => ({ ...step, value: 0.4 })) });
    await node.completed();
    const corrected = (await read()).payload;
    assert.ok(Math.abs((corrected.money?.import ?? 0) - (imported ?? 0) * 0.4) < 1e-6);
    assert.ok(corrected.quality.revision > priced.quality.revision);
  });

  it("keeps the prices of messages that come at once after a start, also after a restart", async () => {
    await start({ ...HOUSE, period: "yesterday", importPriceType: "prices" });
    const from = Date.parse("2026-05-04T22:00:00Z");
    for (const [index, value] of [0.2, 0.4].entries())
      node.input({ payload: [0, 6].map((hour) => ({ start: from + (index * 12 + hour) * HOUR, value })) });
    const { money } = (await read()).payload;
    assert.equal(money?.priced, 1);
    await node.redeploy();
    assert.deepEqual((await read()).payload.money, money);
  });

  it("loses no stored prices while they cannot be read", async () => {
    await start({ ...HOUSE, period: "yesterday", importPriceType: "prices" });
    const from = Date.parse("2026-05-04T22:00:00Z");
    const half = (first: number): NodeMessage => {
      return { payload: [0, 6].map((hour) => ({ start: from + (first + hour) * HOUR, value: 0.2 })) };
    };
    node.input(half(0));
    assert.ok(((await read()).payload.money?.priced ?? 1) < 0.9);
    await node.remove();
    // What was closed may still write, and a log is first written beside its file.
    const { path } = await eventually(
      () => "no prices are stored",
      async () =>
        readdirSync(join(node.userDir, "energy-sites")).every((name) => name.endsWith(".jsonl"))
          ? storedLines(node.userDir).find(({ id }) => id.startsWith("import"))
          : undefined,
    );
    renameSync(path, `${path}.aside`);
    mkdirSync(path);
    await node.redeploy();
    node.input(half(12));
    node.input({ payload: "go" });
    const caught = await eventually(
      () => "nothing failed",
      async () => node.caughtSoFar()[0],
    );
    assert.equal(caught.energy.error.code, "ENERGY_STORE");
    rmdirSync(path);
    renameSync(`${path}.aside`, path);
    const { money } = (await read()).payload;
    assert.equal(money?.priced, 1);
    await node.redeploy();
    assert.deepEqual((await read()).payload.money, money);
  });

  it("shows how many prices a message brought, and until when", async () => {
    await start({ ...HOUSE, period: "yesterday", importPriceType: "prices" });
    const step = { start: "2026-05-04T22:00:00Z", end: "2026-05-04T23:00:00Z", value: 0.2 };
    node.input({ payload: [step] });
    await node.completed();
    assert.match(node.statuses().at(-1) ?? "", /^1 price to 2026-05-0[45] \d\d:\d\d$/);
  });

  for (const [place, settings] of [
    ["a file", {}],
    ["memory where there is no user directory", { userDir: "" }],
  ] as const)
    it(`keeps the prices of messages that bring years at once, in ${place}`, async () => {
      await start({ ...HOUSE, period: "yesterday", importPriceType: "prices" }, "", settings);
      const prices = (from: string, days: number, value: number): NodeMessage => {
        const first = Date.parse(from);
        const steps = Array.from({ length: days }, (_none, day) => first + day * DAY);
        return { payload: steps.map((begin) => ({ start: begin, end: begin + DAY, value })) };
      };
      node.input(prices("2026-05-04T22:00:00Z", 1, 0.2));
      node.input(prices("2021-01-01T00:00:00Z", 1200, 0.2));
      node.input(prices("2026-05-05T22:00:00Z", 1, 0.4));
      assert.equal((await read()).payload.money?.priced, 1);
    });

  it("prices each hour by an expression of the site's clock", async () => {
    const byHour = async (importPrice: string, split = "hour"): Promise<TotalsMessage["payload"]> => {
      await node.redeploy({ importPriceType: "jsonata", importPrice, split });
      return (await read({ base: 0.2 })).payload;
    };
    await start({ ...HOUSE, period: "yesterday", split: "hour", exportPrice: "0.1" });
    const night = await byHour("$hour >= 22 or $hour < 6.5 ? base : 0.4");
    const priceOf = ({ money, energy }: TotalsPart): number => (money?.import ?? 0) / (energy.imported ?? 0);
    assert.equal(night.parts?.length, 24);
    for (const [hour, part] of night.parts.entries()) {
      if (hour === 6 || (part.energy.imported ?? 0) === 0) continue;
      assert.equal(priceOf(part).toFixed(6), hour >= 22 || hour < 6 ? "0.200000" : "0.400000", String(hour));
    }
    assert.equal(night.money?.priced, 1);
    // Half of the hour at each price.
    const six = (night.parts[6]?.money?.baseline ?? 0) / (night.parts[6]?.energy.consumed ?? 0);
    assert.ok(six > 0.25 && six < 0.35, String(six));
    // 5 May 2026 is a Tuesday.
    const others = await byHour(
      '$weekday = 2 and $month = 5 and $now() < "2026-05-05T12" and $millis() < 1778000000000 ? 0.5 : null',
    );
    for (const [hour, part] of (others.parts ?? []).entries())
      assert.equal(part.money?.priced, hour < 12 ? 1 : 0, String(hour));
    // The weeks before are not evaluated.
    assert.equal((await byHour("$month = 5 ? 0.3 : 'unknown'")).money?.priced, 1);
    await node.redeploy({
      period: "message",
      importPriceType: "jsonata",
      importPrice: "$weekday = 7 ? 0.5 : null",
    });
    assert.equal((await read({ payload: { day: "2026-05-03" } })).payload.money?.priced, 1, "Sunday");
  });

  it("values what a record that crosses the end of the period has stored as a longer period does", async () => {
    // Charged from the grid all day, in records that cross midnight.
    service.changeRecords((_site, _system, { startTime, endTime, ...groups }) => {
      const later = (time: string): string => new Date(Date.parse(time) + 2 * MINUTE).toISOString();
      const night = { solar: { energy: 0 }, grid: { energy: 100 }, consumption: { energy: 0 } };
      const storage = { energy: -100, remainingEnergy: 1000 };
      return { ...groups, ...night, storage, startTime: later(startTime), endTime: later(endTime) };
    });
    const importPrice = "$hour < 24 ? 0.3 : 0";
    const tariff = { importPriceType: "jsonata", importPrice, exportPrice: "0.1", split: "hour" };
    await start({ ...HOUSE, period: "message", ...tariff });
    const savings = async (days: number): Promise<unknown[]> => {
      const { payload } = await read({ payload: { day: "2026-05-04", days } });
      return (payload.parts ?? []).slice(0, 24).map(({ money }) => money?.saving);
    };
    assert.deepEqual(await savings(1), await savings(2));
  });

  it("sends a message for every system, and knows what a system cannot measure", async () => {
    await start({ siteId: "*", systemId: "*", period: "yesterday" }, PREVIEW_VERSION);
    node.input({ payload: "go" });
    await node.completed();
    const messages = node.sent<TotalsMessage>();
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
    await start({ ...HOUSE, period: "message", split: "day" });
    // Whatever reaches into the second day.
    const isOfSecond = (start = "", end = ""): boolean =>
      start < "2026-05-02T22:00:00.000Z" && end > "2026-05-01T22:00:00.000Z";
    service.fault({
      path: /telemetry/,
      times: Infinity,
      fits: ({ query }) => isOfSecond(query["startTime"], query["endTime"]),
      status: 404,
    });
    node.input({ payload: { day: "2026-05-01", days: 3 } });
    await node.caught();
    assert.equal(node.sent().length, 0);
    service.clearFaults();
    const requests = telemetry();
    assert.equal((await read({ payload: { day: "2026-05-01", days: 1 } })).payload.quality.coverage, 1);
    assert.equal(telemetry(), requests);
  });

  it("sends a day without a part that cannot be read, says why, and completes it once it can be read", async () => {
    await start({ ...HOUSE, period: "yesterday" });
    // Whatever reaches into the fourth hour of the day.
    service.fault({
      path: /telemetry/,
      times: Infinity,
      fits: ({ query }) =>
        String(query["startTime"]) < "2026-05-05T02:00:00.000Z" &&
        String(query["endTime"]) > "2026-05-05T01:00:00.000Z",
      status: 404,
    });
    node.input({ payload: "go" });
    const { payload } = await node.output<TotalsMessage>();
    const { error } = await node.caught();
    assert.match(error.message, /404/);
    assert.deepEqual(payload.quality.missing, [
      { startTime: "2026-05-05T03:00:00+02:00", endTime: "2026-05-05T04:00:00+02:00" },
    ]);
    service.clearFaults();
    const { quality } = (await read()).payload;
    assert.deepEqual([quality.coverage, quality.revision], [1, 2]);
  });

  it("serves messages that wait for the same totals with one run, and completes them all", async () => {
    await start({ ...HOUSE, period: "today" });
    await read();
    await node.completed();
    const requests = telemetry();
    for (const payload of [1, 2, 3, 4]) node.input({ payload, order: payload });
    for (let count = 0; count < 4; count += 1) await node.completed();
    // At most the first by itself, and one run for those that waited meanwhile.
    assert.ok(telemetry() <= requests + 2, `${telemetry() - requests} requests`);
    const sent = node.sent<TotalsMessage & { order?: number }>().slice(1);
    assert.deepEqual(
      sent.map(({ order }) => order),
      [1, 2, 3, 4],
    );
    assert.deepEqual(sent[3]?.payload.energy, sent[1]?.payload.energy);
    await node.redeploy({ period: "message" });
    const days = ["2026-05-01", "2026-05-02", "2026-05-03"];
    for (const day of days) node.input({ payload: { day } });
    for (let count = 0; count < 3; count += 1) await node.completed();
    assert.deepEqual(
      node
        .sent<TotalsMessage>()
        .slice(-3)
        .map(({ payload }) => payload.startTime.slice(0, 10)),
      days,
    );
  });

  it("makes no text of a large payload to compare it: a buffer of 20 MB would hold the event loop", async () => {
    await start({ ...HOUSE, period: "message" });
    const toJSON = sinon.spy(() => "");
    node.input({ payload: Object.assign(Buffer.alloc(70_000), { toJSON }) });
    const { energy } = await node.caught();
    assert.deepEqual([energy.error.code, toJSON.callCount], ["ENERGY_INPUT", 0]);
  });

  it("says what is missing, and sends a day again once its records have come", async () => {
    const gap = { start: NOW - DAY, end: NOW - DAY + HOUR };
    service.hideRecords((_site, _system, { startTime }) => {
      const time = Date.parse(startTime);
      return time >= gap.start && time < gap.end;
    });
    await start({ ...HOUSE, period: "yesterday" });
    const { payload } = await read();
    assert.ok(payload.quality.coverage < 1 && !payload.quality.complete);
    assert.equal(payload.quality.missing.length, 1);
    assert.ok((payload.quality.estimated.consumed ?? 0) > 0);
    await node.completed();
    assert.match(node.statuses().at(-1) ?? "", /95 % known/);
    service.hideRecords(undefined);
    clock.setSystemTime(NOW + 10 * MINUTE);
    const again = (await read()).payload;
    assert.deepEqual([again.quality.coverage, again.quality.revision], [1, 2]);
  });

  it("warns of no record after midnight until the first one is late", async () => {
    const midnight = Date.parse("2026-05-05T22:00:00Z");
    service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > midnight);
    await start({ ...HOUSE, period: "today" });
    for (const [time, status] of [
      [midnight + 2 * MINUTE, "Today so far: 1 system"],
      [midnight + 3 * HOUR, "Today so far: 0 % known"],
    ] as const) {
      clock.setSystemTime(time);
      await read();
      await node.completed();
      assert.equal(node.statuses().at(-1), status);
    }
  });

  it("knows a week after midnight as far as its records, and misses those that do not come", async () => {
    const midnight = Date.parse("2026-05-05T22:00:00Z");
    service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > midnight - 10 * MINUTE);
    await start({ ...HOUSE, period: "week", split: "day", importPrice: "0.3", fixed: 144 });
    for (const [time, until, missing, fixed, status] of [
      [midnight + 2 * MINUTE, "2026-05-05T23:50:00+02:00", 0, 287, /^This week: .* used/],
      [midnight + 3 * HOUR, "2026-05-06T00:00:00+02:00", 1, 288, /^This week: 99 % known$/],
    ] as const) {
      clock.setSystemTime(time);
      const { payload } = await read();
      await node.completed();
      assert.deepEqual(
        [payload.until, payload.quality.missing.length, payload.quality.complete, payload.money?.fixed],
        [until, missing, missing === 0, fixed],
      );
      // That day is over.
      assert.equal(payload.parts?.[1]?.quality.missing.length, 1);
      assert.match(node.statuses().at(-1) ?? "", status);
    }
  });

  it("names the property that holds no price", async () => {
    await start({ ...HOUSE, period: "yesterday", importPrice: "cost.now", importPriceType: "msg" });
    // A day that costs an infinite amount could not be stored.
    for (const now of ["dear", 1e300]) {
      node.input({ payload: "go", cost: { now } });
      assert.match((await node.caught()).error.message, /^msg\.cost\.now is not a price per kWh/);
    }
  });

  it("prices a day as before once the property that held its prices is empty, as after a restart", async () => {
    await start({ ...HOUSE, period: "yesterday", importPriceType: "flow", importPrice: "prices" });
    const prices = [{ start: "2026-05-04T00:00:00Z", end: "2026-05-07T00:00:00Z", value: 0.5 }];
    node.setContext("flow", "prices", prices);
    const { money } = (await read()).payload;
    assert.ok((money?.import ?? 0) > 0);
    node.setContext("flow", "prices", undefined);
    await node.redeploy();
    const { payload } = await read();
    assert.deepEqual([payload.money, payload.quality.revision], [money, 1]);
  });

  it("passes on what is beside the prices that it takes from a message, and not these", async () => {
    const [importPrice, exportPrice] = ["cost.now", "cost.list[msg.payload.at]"];
    const prices = { importPrice, importPriceType: "msg", exportPrice, exportPriceType: "msg" };
    await start({ ...HOUSE, period: "yesterday", ...prices });
    const cost = { now: 0.3, list: [0.1, 0.2], vat: 19 };
    const sent = {
      cost: undefined,
      other: undefined,
      ...(await read({ payload: { at: 0 }, cost, other: { cost: 1 } })),
    };
    assert.deepEqual([sent.cost, sent.other], [{ list: [0.2], vat: 19 }, { cost: 1 }]);
    assert.deepEqual(cost, { now: 0.3, list: [0.1, 0.2], vat: 19 });
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
      await start({ period, split, importPriceType, importPrice: '$hour < 6 ? "dear" : 0.2' });
      node.input(message);
      assert.equal((await node.caught()).energy.error.code, code);
    });

  it("refuses a price by the hour that is not a valid expression with ENERGY_CONFIG", async () => {
    await start({ period: "yesterday", importPriceType: "jsonata", importPrice: "$hour < 6 ? (" });
    node.input({ payload: "go", ...HOUSE });
    const caught = await node.caught();
    assert.equal(caught.energy.error.code, "ENERGY_CONFIG");
    assert.match(caught.error.message, /\$hour < 6/);
  });
});
