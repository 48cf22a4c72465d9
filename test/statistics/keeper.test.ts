import assert from "node:assert/strict";
import fc from "fast-check";
import type { Command } from "../../src/statistics/commands";
import { type KeeperPorts, StatisticsKeeper, type Written } from "../../src/statistics/keeper";
import { type HourlySeries, hourlySeries, statisticId } from "../../src/statistics/series";
import { casesOf, FUZZ_SEED } from "../support/fuzz";
import { HomeAssistantStatistics, Refused } from "../support/home-assistant-statistics";

const HOUR = 3_600_000;
const START = Date.parse("2026-05-04T00:00:00Z");
const ADDRESS = { siteId: "demo-house", systemId: "demo-house-1" };
const ID = statisticId("energy_sites", ADDRESS, "solar");

interface Home {
  keeper: StatisticsKeeper;
  written: Written[];
  commands: Command[];
}

/** A keeper whose commands reach Home Assistant. `isLost` decides which answers never come. */
function connected(assistant: HomeAssistantStatistics): Home {
  const written: Written[] = [];
  const commands: Command[] = [];
  const ports: KeeperPorts = {
    send(command, request) {
      commands.push(command);
      setImmediate(() => {
        try {
          keeper.answer(request, assistant.answer(command));
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          keeper.answer(request, undefined, error.message);
        }
      });
    },
    written: (one) => void written.push(one),
    waiting: () => undefined,
  };
  const keeper = new StatisticsKeeper(ports, "test");
  return { keeper, written, commands };
}

const series = (hours: Iterable<[number, number]>): HourlySeries => ({
  id: ID,
  quantity: "solar",
  name: "demo-house solar",
  unit: "Wh",
  hours: new Map([...hours].map(([hour, energy]) => [START + hour * HOUR, energy])),
});

async function write(home: Home, hours: Iterable<[number, number]>): Promise<void> {
  home.keeper.add("system", [series(hours)]);
  await home.keeper.write(new AbortController().signal);
}

function assertChanges(assistant: HomeAssistantStatistics, expected: ReadonlyMap<number, number>): void {
  const changes = assistant.changes(ID);
  for (const [hour, energy] of expected) {
    const change = changes.get(START + hour * HOUR);
    assert.ok(
      change !== undefined && Math.abs(change - energy) < 0.01,
      `hour ${hour} is ${change}, expected ${energy}`,
    );
  }
  const sum = [...changes.values()].reduce((all, change) => all + change, 0);
  const energy = [...expected.values()].reduce((all, one) => all + one, 0);
  assert.ok(Math.abs(sum - energy) < 0.1, `sum is ${sum}, expected ${energy}`);
}

describe("statistics in Home Assistant", () => {
  for (const [version, hasMeanType] of [
    ["2025.5.3", false],
    ["2025.10.1", false],
    ["2025.11.0", true],
    ["2026.8.0", true],
  ] as const)
    it(`writes each hour with a first row of 0, in the form of ${version}`, async () => {
      const assistant = new HomeAssistantStatistics(version);
      await write(connected(assistant), [
        [0, 100],
        [1, 200],
        [2, 0],
      ]);
      const [first] = [...(assistant.rows.get(ID) ?? [])];
      assert.deepEqual(first, [START - HOUR, 0]);
      assertChanges(
        assistant,
        new Map([
          [0, 100],
          [1, 200],
          [2, 0],
        ]),
      );
      assert.equal("mean_type" in (assistant.metadata.get(ID) ?? {}), hasMeanType);
    });

  it("writes only what is new or differs, and the sums behind a correction", async () => {
    const assistant = new HomeAssistantStatistics();
    const home = connected(assistant);
    await write(home, [
      [0, 100],
      [1, 200],
      [2, 300],
    ]);
    const before = assistant.commands.filter((type) => type.endsWith("import_statistics")).length;
    await write(home, [
      [0, 100],
      [1, 200],
      [2, 300],
    ]);
    assert.equal(assistant.commands.filter((type) => type.endsWith("import_statistics")).length, before);
    await write(home, [[1, 250]]);
    assertChanges(
      assistant,
      new Map([
        [0, 100],
        [1, 250],
        [2, 300],
      ]),
    );
    assert.deepEqual(home.written.at(-1), {
      series: ID,
      hours: 1,
      from: START + HOUR,
      to: START + 2 * HOUR,
      corrected: 1,
    });
  });

  it("writes last year before this week, and sends at most 750 rows at a time", async () => {
    const assistant = new HomeAssistantStatistics();
    const home = connected(assistant);
    await write(home, [
      [2000, 5],
      [2001, 6],
    ]);
    await write(
      home,
      Array.from({ length: 1800 }, (_none, hour): [number, number] => [hour, 1]),
    );
    const sizes = home.commands.flatMap(({ stats }) => (Array.isArray(stats) ? [stats.length] : []));
    assert.ok(Math.max(...sizes) <= 750);
    const changes = assistant.changes(ID);
    assert.equal(changes.get(START + 2000 * HOUR), 5);
    assert.equal(
      [...changes.values()].reduce((all, one) => all + one, 0),
      1811,
    );
  });

  it("goes on from the last row before a gap, though there are rows behind it in the same month", async () => {
    const assistant = new HomeAssistantStatistics();
    await write(connected(assistant), [[0, 100]]);
    await write(connected(assistant), [[200, 300]]);
    await write(connected(assistant), [[100, 50]]);
    assertChanges(
      assistant,
      new Map([
        [0, 100],
        [100, 50],
        [200, 300],
      ]),
    );
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
    await assert.rejects(
      home.keeper.dashboard(new AbortController().signal),
      /Unauthorized|statisticsRefused/,
    );
  });

  it("takes no answer but the one that it waits for", () => {
    const { keeper } = connected(new HomeAssistantStatistics());
    assert.equal(keeper.answer("test-1", {}), false);
  });

  it("says why Home Assistant refuses a row", async () => {
    const assistant = new HomeAssistantStatistics();
    const home = connected(assistant);
    home.keeper.add("system", [{ ...series([[0, 1]]), id: "energy_sites:a__b" }]);
    await assert.rejects(home.keeper.write(new AbortController().signal), {
      code: "ENERGY_RESPONSE",
      message: /Invalid statistic_id/,
    });
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
      const { signal } = new AbortController();
      const quantities = ["solar", "imported", "exported", "charged", "discharged", "cost"] as const;
      keeper.add(
        "s",
        quantities.map((quantity) => ({
          ...series([[0, 1]]),
          quantity,
          id: statisticId("energy_sites", ADDRESS, quantity),
        })),
      );
      const dashboard = await keeper.dashboard(signal);
      assert.deepEqual(dashboard.added.map(({ type }) => type).toSorted(), ["battery", "grid", "solar"]);
      await keeper.save(dashboard, signal);
      const { energy_sources, device_consumption } = assistant.preferences;
      assert.deepEqual(device_consumption, [car]);
      assert.ok(Array.isArray(energy_sources) && energy_sources.length === 4);
      assert.deepEqual((await keeper.dashboard(signal)).added, [], "nothing is added twice");
    }
  });

  it("ends with every hour as totals has it, whatever comes late, again or in another order, and after restarts", async () => {
    const update = fc.record({
      // Within two months, so that there are gaps, and rows before and behind them.
      from: fc.nat(1400),
      energies: fc.array(fc.nat(5000), { minLength: 1, maxLength: 30 }),
      isRestart: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(update, { minLength: 1, maxLength: 8 }), async (updates) => {
        const assistant = new HomeAssistantStatistics();
        const expected = new Map<number, number>();
        let home = connected(assistant);
        for (const { from, energies, isRestart } of updates) {
          if (isRestart) home = connected(assistant);
          const hours = energies.map((energy, index): [number, number] => [from + index, energy]);
          for (const [hour, energy] of hours) expected.set(hour, energy);
          await write(home, hours);
        }
        assertChanges(assistant, expected);
      }),
      { seed: FUZZ_SEED, numRuns: casesOf(40) },
    );
  });
});

describe("hours of totals for statistics", () => {
  const part = (from: string, to: string, solar: number | null, until = to): object => ({
    startTime: from,
    endTime: to,
    until,
    energy: { solar },
    money: { currency: "EUR", import: 0.2, revenue: null },
  });
  const of = (parts: object[]): Map<string, [string, number][]> =>
    new Map(
      hourlySeries({ parts }, ADDRESS, { prefix: "energy_sites", costs: true, unit: "kWh" }).map(
        ({ quantity, hours }) => [
          quantity,
          [...hours].map(([start, value]): [string, number] => [
            new Date(start).toISOString().slice(0, 16),
            value,
          ]),
        ],
      ),
    );

  it("takes hours that are over, in Wh and in the currency", () => {
    const found = of([
      part("2026-05-04T10:00:00+02:00", "2026-05-04T11:00:00+02:00", 1.5),
      part("2026-05-04T11:00:00+02:00", "2026-05-04T12:00:00+02:00", 0.5, "2026-05-04T11:20:00+02:00"),
    ]);
    assert.deepEqual(found.get("solar"), [["2026-05-04T08:00", 1500]]);
    assert.deepEqual(found.get("cost"), [["2026-05-04T08:00", 0.2]]);
    assert.equal(found.has("compensation"), false);
  });

  it("shares local hours among UTC hours in a zone of half hours", () => {
    const found = of([
      part("2026-05-04T10:00:00+05:30", "2026-05-04T11:00:00+05:30", 1),
      part("2026-05-04T11:00:00+05:30", "2026-05-04T12:00:00+05:30", 3),
    ]);
    assert.deepEqual(found.get("solar"), [["2026-05-04T05:00", 2000]]);
  });

  it("makes ids that Home Assistant accepts, one for each system", () => {
    const ids = [
      { siteId: "a_b", systemId: "c" },
      { siteId: "a", systemId: "b_c" },
      { siteId: "A-B", systemId: "C" },
      { siteId: "東京__", systemId: undefined },
    ].map((address) => statisticId("energy_sites", address, "solar"));
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^energy_sites:(?!.*__)[a-z\d][a-z\d_]*[a-z\d]$/);
  });
});
