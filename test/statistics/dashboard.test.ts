// Tests for what the Energy dashboard gets.
import assert from "node:assert/strict";
import type { ServiceObject } from "../../src/models/service-object";
import type { SeriesAddress } from "../../src/series/identity";
import { type HourlySeries, type StatisticName, statisticId } from "../../src/statistics/series";
import { HomeAssistantStatistics, Refused } from "../support/home-assistant-statistics";
import { ADDRESS, connected, series, write } from "./home";

const RULE = { prefix: "energy_sites", costs: true };

/** What the ids of a system's statistics have in common. */
const SYSTEM = statisticId(RULE.prefix, ADDRESS, "solar").slice(0, -"solar".length);

/** An hour of each of these statistics. */
function hourOf(
  quantities: readonly StatisticName[],
  address: SeriesAddress = ADDRESS,
  prefix = RULE.prefix,
): HourlySeries[] {
  return quantities.map((quantity) => ({
    ...series([[0, 1]]),
    quantity,
    id: statisticId(prefix, address, quantity),
  }));
}

describe("sources of the Energy dashboard", () => {
  const { signal } = new AbortController();

  /** What is added to these sources. */
  async function added(
    all: readonly HourlySeries[],
    { rule = RULE, known, version }: { rule?: typeof RULE; known?: ServiceObject[]; version?: string } = {},
  ): Promise<readonly ServiceObject[]> {
    const assistant = new HomeAssistantStatistics(version);
    if (known) assistant.preferences = { energy_sources: known };
    const { keeper } = connected(assistant);
    keeper.add(all);
    return (await keeper.dashboard(rule, signal)).added;
  }

  it("are only those that have the prefix of the node", async () => {
    const [own, former] = [hourOf(["solar"]), hourOf(["solar"], ADDRESS, "energy")];
    assert.deepEqual(
      (await added([...former, ...own])).map(({ stat_energy_from: id }) => id),
      own.map(({ id }) => id),
    );
  });

  for (const version of ["2026.2.0", "2026.7.0"])
    it(`have no costs any more once the node is set to none, in ${version}`, async () => {
      const all = hourOf(["imported", "exported", "cost", "compensation"]);
      assert.match(JSON.stringify(await added(all, { version })), /:\w+_cost".*:\w+_compensation"/);
      const without = JSON.stringify(await added(all, { version, rule: { ...RULE, costs: false } }));
      assert.doesNotMatch(without, /:\w+_(?:cost|compensation)"/);
      assert.match(without, /_imported".*_exported"/);
    });

  it("have no cost without the energy that it is of, which is in another source", async () => {
    const all = hourOf(["imported", "exported", "cost", "compensation"]);
    const idOf = (quantity: StatisticName): string => statisticId(RULE.prefix, ADDRESS, quantity);
    const of = async (known: ServiceObject): Promise<unknown[]> => {
      // After the one that gets its cost.
      const grid = (await added(all, { version: "2026.7.0", known: [known] })).at(-1);
      return ["stat_energy_from", "stat_cost", "stat_energy_to", "stat_compensation"].map(
        (name) => grid?.[name],
      );
    };
    assert.deepEqual(await of({ type: "grid", stat_energy_from: idOf("imported") }), [
      null,
      null,
      idOf("exported"),
      idOf("compensation"),
    ]);
    assert.deepEqual(await of({ type: "grid", stat_energy_to: idOf("exported") }), [
      idOf("imported"),
      idOf("cost"),
      null,
      null,
    ]);
  });

  for (const version of ["2026.2.0", "2026.7.0"])
    it(`get their costs if they were saved before there were prices, in ${version}`, async () => {
      const assistant = new HomeAssistantStatistics(version);
      const { keeper } = connected(assistant);
      keeper.add(hourOf(["imported", "exported"]));
      const before = await keeper.dashboard(RULE, signal);
      await keeper.save(before, signal);
      keeper.add(hourOf(["cost", "compensation"]));
      const priced = await keeper.dashboard(RULE, signal);
      const cost = ["cost", "compensation"].map((name) => JSON.stringify(`${SYSTEM}${name}`));
      assert.deepEqual(
        JSON.stringify(priced.added),
        JSON.stringify(before.added)
          .replace('"stat_cost":null', `"stat_cost":${cost[0]}`)
          .replace('"stat_compensation":null', `"stat_compensation":${cost[1]}`),
      );
      await keeper.save(priced, signal);
      assert.deepEqual((await keeper.dashboard(RULE, signal)).added, []);
    });

  it("keep the costs that they have", async () => {
    const known = { type: "grid", stat_energy_from: `${SYSTEM}imported`, stat_cost: "sensor.cost" };
    const all = hourOf(["imported", "cost"]);
    assert.deepEqual(await added(all, { version: "2026.7.0", known: [known] }), []);
  });

  it("are the same in whatever order hours have come: what was shown can be confirmed", async () => {
    const [one, other] = [ADDRESS, { ...ADDRESS, systemId: "demo-house-2" }].map((address) =>
      hourOf(["solar"], address),
    );
    assert.ok(one && other);
    assert.deepEqual(await added([...one, ...other]), await added([...other, ...one]));
  });

  it("never takes sources for missing that Home Assistant does not show", async () => {
    const assistant = new HomeAssistantStatistics();
    const home = connected(assistant);
    await write(home, [[0, 100]]);
    const answer = assistant.answer.bind(assistant);
    assistant.answer = (command) => {
      if (command["type"] === "energy/get_prefs") throw new Refused("Unauthorized");
      return answer(command);
    };
    await assert.rejects(home.keeper.dashboard(RULE, signal), /Unauthorized|statisticsRefused/);
  });

  it("keeps the meters of the one grid that versions before 2026.3 have", async () => {
    const flow = { stat_energy_from: "sensor.meter", stat_cost: null };
    const known = [{ type: "grid", flow_from: [flow], flow_to: [], cost_adjustment_day: 2 }, { type: "gas" }];
    const assistant = new HomeAssistantStatistics("2026.2.0");
    assistant.preferences = { energy_sources: known };
    const { keeper } = connected(assistant);
    const all = hourOf(["imported", "exported"]);
    keeper.add(all);
    await keeper.save(await keeper.dashboard(RULE, signal), signal);
    const saved = assistant.preferences["energy_sources"];
    assert.ok(Array.isArray(saved) && saved.length === 2);
    const { flow_from, flow_to, ...others } = saved.find(({ type }: ServiceObject) => type === "grid") as {
      flow_from: ServiceObject[];
      flow_to: ServiceObject[];
    };
    assert.deepEqual(others, { type: "grid", cost_adjustment_day: 2 });
    assert.deepEqual(
      [...flow_from, ...flow_to].map((one) => one["stat_energy_from"] ?? one["stat_energy_to"]),
      ["sensor.meter", ...all.map(({ id }) => id)],
    );
  });

  it("adds its sources to the dashboard in the shape of its version, and drops nothing", async () => {
    for (const version of ["2025.12.0", "2026.8.0"]) {
      const assistant = new HomeAssistantStatistics(version);
      const [car, other] = [
        { stat_consumption: "sensor.car" },
        { type: "gas", stat_energy_from: "sensor.gas" },
      ];
      assistant.preferences = { energy_sources: [other], device_consumption: [car] };
      const { keeper } = connected(assistant);
      keeper.add(hourOf(["solar", "imported", "exported", "charged", "discharged", "cost"]));
      const dashboard = await keeper.dashboard(RULE, signal);
      assert.deepEqual(dashboard.added.map(({ type }) => type).toSorted(), ["battery", "grid", "solar"]);
      await keeper.save(dashboard, signal);
      const { energy_sources, device_consumption } = assistant.preferences;
      assert.deepEqual(device_consumption, [car]);
      assert.ok(Array.isArray(energy_sources) && energy_sources.length === 4);
      assert.deepEqual((await keeper.dashboard(RULE, signal)).added, [], "nothing is added twice");
    }
  });
});
