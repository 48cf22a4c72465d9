// Tests for the prices of totals: numbers, properties, expressions and price messages.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import type { NodeMessage } from "node-red";
import type { TotalsMessage, TotalsPart } from "../../../src/messages/messages";
import { DAY, HOUR } from "../../../src/time-units";
import { eventually } from "../../support/eventually";
import { storedLines } from "../../support/stored-states";
import { HOUSE, TotalsNode } from "../../support/totals-node";

describe("the prices of totals", () => {
  const totals = new TotalsNode();

  it("computes money from numbers, from a property, and from price messages, which trigger no run", async () => {
    await totals.start({
      ...HOUSE,
      period: "yesterday",
      importPrice: "0.3",
      exportPrice: "0.1",
      currency: "CHF",
    });
    const fixed = (await totals.read()).payload;
    assert.equal(fixed.money?.currency, "CHF");
    const { imported, exported } = fixed.energy;
    assert.ok(Math.abs((fixed.money?.import ?? 0) - (imported ?? 0) * 0.3) < 1e-6);
    assert.ok(Math.abs((fixed.money?.revenue ?? 0) - (exported ?? 0) * 0.1) < 1e-6);
    // A flow that a program wrote may have numbers.
    await totals.node.redeploy({ importPrice: 0.3, exportPrice: 0 });
    const { money } = (await totals.read()).payload;
    assert.deepEqual([money?.import, money?.revenue], [fixed.money?.import, 0]);
    await totals.node.redeploy({ importPriceType: "flow", importPrice: "price" });
    totals.node.setContext("flow", "price", 0.5);
    const property = (await totals.read()).payload;
    assert.ok(Math.abs((property.money?.import ?? 0) - (imported ?? 0) * 0.5) < 1e-6);
    totals.node.setContext("flow", "price", [
      { start: "2026-05-01T00:00:00Z", end: "2026-06-01T00:00:00Z", value: 0.6 },
    ]);
    const listed = (await totals.read()).payload;
    assert.ok(Math.abs((listed.money?.import ?? 0) - (imported ?? 0) * 0.6) < 1e-6);
    await totals.node.redeploy({
      importPriceType: "prices",
      importPrice: "",
      exportPriceType: "num",
      exportPrice: "",
    });
    const requests = totals.service.requests.length;
    const start0 = Date.parse("2026-05-04T22:00:00Z");
    const prices = Array.from({ length: 24 }, (_none, hour) => ({
      start: new Date(start0 + hour * HOUR).toISOString(),
      value: 0.2,
    }));
    totals.node.input({ payload: prices });
    await totals.node.completed();
    assert.equal(totals.service.requests.length, requests);
    const priced = (await totals.read()).payload;
    assert.ok(Math.abs((priced.money?.import ?? 0) - (imported ?? 0) * 0.2) < 1e-6);
    assert.deepEqual([priced.money?.priced, priced.money?.revenue, priced.money?.net], [1, null, null]);
    // A price that is sent again corrects the day.
    totals.node.input({ payload: prices.map((step) => ({ ...step, value: 0.4 })) });
    await totals.node.completed();
    const corrected = (await totals.read()).payload;
    assert.ok(Math.abs((corrected.money?.import ?? 0) - (imported ?? 0) * 0.4) < 1e-6);
    assert.ok(corrected.quality.revision > priced.quality.revision);
  });

  it("keeps the prices of messages that come at once after a start, also after a restart", async () => {
    await totals.start({ ...HOUSE, period: "yesterday", importPriceType: "prices" });
    const from = Date.parse("2026-05-04T22:00:00Z");
    for (const [index, value] of [0.2, 0.4].entries())
      totals.node.input({
        payload: [0, 6].map((hour) => ({ start: from + (index * 12 + hour) * HOUR, value })),
      });
    const { money } = (await totals.read()).payload;
    assert.equal(money?.priced, 1);
    await totals.node.redeploy();
    assert.deepEqual((await totals.read()).payload.money, money);
  });

  it("loses no stored prices while they cannot be read", async () => {
    await totals.start({ ...HOUSE, period: "yesterday", importPriceType: "prices" });
    const from = Date.parse("2026-05-04T22:00:00Z");
    const half = (first: number): NodeMessage => {
      return { payload: [0, 6].map((hour) => ({ start: from + (first + hour) * HOUR, value: 0.2 })) };
    };
    totals.node.input(half(0));
    assert.ok(((await totals.read()).payload.money?.priced ?? 1) < 0.9);
    await totals.node.remove();
    // What was closed may still write, and a log is first written beside its file.
    const { path } = await eventually(
      () => "no prices are stored",
      async () =>
        readdirSync(join(totals.node.userDir, "energy-sites")).every((name) => name.endsWith(".jsonl"))
          ? storedLines(totals.node.userDir).find(({ id }) => id.startsWith("import"))
          : undefined,
    );
    renameSync(path, `${path}.aside`);
    mkdirSync(path);
    await totals.node.redeploy();
    totals.node.input(half(12));
    totals.node.input({ payload: "go" });
    const caught = await eventually(
      () => "nothing failed",
      async () => totals.node.caughtSoFar()[0],
    );
    assert.equal(caught.energy.error.code, "ENERGY_STORE");
    rmdirSync(path);
    renameSync(`${path}.aside`, path);
    const { money } = (await totals.read()).payload;
    assert.equal(money?.priced, 1);
    await totals.node.redeploy();
    assert.deepEqual((await totals.read()).payload.money, money);
  });

  it("shows how many prices a message brought, and until when", async () => {
    await totals.start({ ...HOUSE, period: "yesterday", importPriceType: "prices" });
    const step = { start: "2026-05-04T22:00:00Z", end: "2026-05-04T23:00:00Z", value: 0.2 };
    totals.node.input({ payload: [step] });
    await totals.node.completed();
    assert.match(totals.node.statuses().at(-1) ?? "", /^1 price to 2026-05-0[45] \d\d:\d\d$/);
  });

  for (const [place, settings] of [
    ["a file", {}],
    ["memory where there is no user directory", { userDir: "" }],
  ] as const)
    it(`keeps the prices of messages that bring years at once, in ${place}`, async () => {
      await totals.start({ ...HOUSE, period: "yesterday", importPriceType: "prices" }, "", settings);
      const prices = (from: string, days: number, value: number): NodeMessage => {
        const first = Date.parse(from);
        const steps = Array.from({ length: days }, (_none, day) => first + day * DAY);
        return { payload: steps.map((begin) => ({ start: begin, end: begin + DAY, value })) };
      };
      totals.node.input(prices("2026-05-04T22:00:00Z", 1, 0.2));
      totals.node.input(prices("2021-01-01T00:00:00Z", 1200, 0.2));
      totals.node.input(prices("2026-05-05T22:00:00Z", 1, 0.4));
      assert.equal((await totals.read()).payload.money?.priced, 1);
    });

  it("prices each hour by an expression of the site's clock", async () => {
    const byHour = async (importPrice: string, split = "hour"): Promise<TotalsMessage["payload"]> => {
      await totals.node.redeploy({ importPriceType: "jsonata", importPrice, split });
      return (await totals.read({ base: 0.2 })).payload;
    };
    await totals.start({ ...HOUSE, period: "yesterday", split: "hour", exportPrice: "0.1" });
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
    await totals.node.redeploy({
      period: "message",
      importPriceType: "jsonata",
      importPrice: "$weekday = 7 ? 0.5 : null",
    });
    assert.equal((await totals.read({ payload: { day: "2026-05-03" } })).payload.money?.priced, 1, "Sunday");
  });

  it("names the property that holds no price", async () => {
    await totals.start({ ...HOUSE, period: "yesterday", importPrice: "cost.now", importPriceType: "msg" });
    // A day that costs an infinite amount could not be stored.
    for (const now of ["dear", 1e300]) {
      totals.node.input({ payload: "go", cost: { now } });
      assert.match((await totals.node.caught()).error.message, /^msg\.cost\.now is not a price per kWh/);
    }
  });

  it("prices a day as before once the property that held its prices is empty, as after a restart", async () => {
    await totals.start({ ...HOUSE, period: "yesterday", importPriceType: "flow", importPrice: "prices" });
    const prices = [{ start: "2026-05-04T00:00:00Z", end: "2026-05-07T00:00:00Z", value: 0.5 }];
    totals.node.setContext("flow", "prices", prices);
    const { money } = (await totals.read()).payload;
    assert.ok((money?.import ?? 0) > 0);
    totals.node.setContext("flow", "prices", undefined);
    await totals.node.redeploy();
    const { payload } = await totals.read();
    assert.deepEqual([payload.money, payload.quality.revision], [money, 1]);
  });

  it("passes on what is beside the prices that it takes from a message, and not these", async () => {
    const [importPrice, exportPrice] = ["cost.now", "cost.list[msg.payload.at]"];
    const prices = { importPrice, importPriceType: "msg", exportPrice, exportPriceType: "msg" };
    await totals.start({ ...HOUSE, period: "yesterday", ...prices });
    const cost = { now: 0.3, list: [0.1, 0.2], vat: 19 };
    const sent = {
      cost: undefined,
      other: undefined,
      ...(await totals.read({ payload: { at: 0 }, cost, other: { cost: 1 } })),
    };
    assert.deepEqual([sent.cost, sent.other], [{ list: [0.2], vat: 19 }, { cost: 1 }]);
    assert.deepEqual(cost, { now: 0.3, list: [0.1, 0.2], vat: 19 });
  });

  it("refuses a price by the hour that is not a valid expression with ENERGY_CONFIG", async () => {
    await totals.start({ period: "yesterday", importPriceType: "jsonata", importPrice: "$hour < 6 ? (" });
    totals.node.input({ payload: "go", ...HOUSE });
    const caught = await totals.node.caught();
    assert.equal(caught.energy.error.code, "ENERGY_CONFIG");
    assert.match(caught.error.message, /\$hour < 6/);
  });
});
