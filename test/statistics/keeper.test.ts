import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import type { Command } from "../../src/statistics/commands";
import {
  type KeeperPorts,
  OWED_FORM,
  type OwedSeries,
  StatisticsKeeper,
  type Written,
} from "../../src/statistics/keeper";
import type { Hour } from "../../src/statistics/rows";
import type { StateGroup, StateStore } from "../../src/stored-state";
import { type HourlySeries, hourlySeries, statisticId } from "../../src/statistics/series";
import { casesOf } from "../support/fuzz";
import { HomeAssistantStatistics, Refused } from "../support/home-assistant-statistics";

const HOUR = 3_600_000;
const START = Date.parse("2026-05-04T00:00:00Z");
const ADDRESS = { siteId: "demo-house", systemId: "demo-house-1" };
const ID = statisticId("energy_sites", ADDRESS, "solar");

/** What is owed, as JSON, as a file would have it. */
class StoredOwed implements StateGroup<OwedSeries> {
  readonly #texts = new Map<string, string>();

  load(): Promise<OwedSeries[]> {
    return Promise.resolve(
      [...this.#texts.values()].flatMap((text) => OWED_FORM.read(JSON.parse(text)) ?? []),
    );
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  store(name: string): StateStore<OwedSeries> {
    return {
      load: () => Promise.resolve(undefined),
      save: (state) => {
        if (state) this.#texts.set(name, JSON.stringify(OWED_FORM.toStored?.(state)));
        else this.#texts.delete(name);
        return Promise.resolve();
      },
    };
  }
}

interface Home {
  /** Loses the answers after so many commands, and then calls back. */
  lose: (after: number, lost: () => void) => void;
  keeper: StatisticsKeeper;
  written: Written[];
  commands: Command[];
}

/** A keeper whose commands reach Home Assistant. `isLost` decides which answers never come. */
function connected(assistant: HomeAssistantStatistics, stored?: StateGroup<OwedSeries>): Home {
  const written: Written[] = [];
  const commands: Command[] = [];
  let [left, onLost] = [Infinity, (): void => undefined];
  const lose: Home["lose"] = (after, lost) => void ([left, onLost] = [after, lost]);
  const ports: KeeperPorts = {
    send(command, request) {
      commands.push(command);
      void setImmediate().then(() => {
        try {
          const answer = assistant.answer(command);
          left -= 1;
          if (left < 0) onLost();
          else keeper.answer(request, answer);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          keeper.answer(request, undefined, error.message);
        }
      });
    },
    written: (one) => void written.push(one),
    waiting: () => undefined,
  };
  const keeper = new StatisticsKeeper(ports, "test", stored);
  return { keeper, written, commands, lose };
}

const series = (hours: Iterable<[number, number]>): HourlySeries => ({
  id: ID,
  quantity: "solar",
  name: "demo-house solar",
  unit: "Wh",
  hours: new Map([...hours].map(([hour, energy]) => [START + hour * HOUR, { energy }])),
});

async function write(home: Home, hours: Iterable<[number, number]>): Promise<void> {
  home.keeper.add([series(hours)]);
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
    home.keeper.add([{ ...series([[0, 1]]), id: "energy_sites:a__b" }]);
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

  it("writes the lifetime counter as state, and keeps it where only the sum changes", async () => {
    const assistant = new HomeAssistantStatistics();
    const home = connected(assistant);
    const counted = (hour: number, energy: number, state: number): [number, Hour] => [
      START + hour * HOUR,
      { energy, state },
    ];
    const add = async (...hours: [number, Hour][]): Promise<void> => {
      home.keeper.add([{ ...series([]), hours: new Map(hours) }]);
      await home.keeper.write(new AbortController().signal);
    };
    await add(counted(0, 100, 5100), counted(1, 200, 5300), counted(2, 50, 5350));
    const states = (): unknown[] =>
      [...(assistant.states.get(ID) ?? [])]
        .toSorted(([one], [other]) => one - other)
        .map(([, state]) => state);
    assert.deepEqual(states(), [5000, 5100, 5300, 5350]);
    // 30 more in the first hour by its records; the counters stay.
    await add(counted(0, 130, 5100));
    assert.deepEqual(states(), [5000, 5100, 5300, 5350]);
    assert.deepEqual(
      [...(assistant.rows.get(ID)?.values() ?? [])].toSorted((a, b) => Number(a) - Number(b)),
      [0, 130, 330, 380],
    );
    // Money has no counter: its state is its sum.
    home.keeper.add([
      {
        ...series([
          [0, 1],
          [1, 2],
        ]),
        id: "energy_sites:x_cost",
        quantity: "cost",
        unit: "EUR",
      },
    ]);
    await home.keeper.write(new AbortController().signal);
    home.keeper.add([{ ...series([[0, 3]]), id: "energy_sites:x_cost", quantity: "cost", unit: "EUR" }]);
    await home.keeper.write(new AbortController().signal);
    assert.deepEqual([...(assistant.states.get("energy_sites:x_cost")?.values() ?? [])], [0, 3, 5]);
  });

  it("owes after a restart what Home Assistant has not taken", async () => {
    const assistant = new HomeAssistantStatistics();
    const stored = new StoredOwed();
    const before = connected(assistant, stored);
    const stop = new AbortController();
    before.keeper.add([
      series([
        [0, 100],
        [1, 200],
      ]),
    ]);
    stop.abort();
    await assert.rejects(before.keeper.write(stop.signal));
    await setImmediate();
    const after = connected(assistant, stored);
    after.keeper.add([series([[1, 250]])]);
    await after.keeper.load();
    assert.deepEqual(after.keeper.parts, [{ id: ID, completeTo: undefined, owed: 2 }]);
    await after.keeper.write(new AbortController().signal);
    assertChanges(
      assistant,
      new Map([
        [0, 100],
        [1, 250],
      ]),
    );
    assert.deepEqual(after.keeper.parts, [{ id: ID, completeTo: START + 2 * HOUR, owed: 0 }]);
    assert.deepEqual(await stored.load(), []);
  });

  it("ends with every hour as totals has it, whatever comes late, again or in another order, and after restarts", async () => {
    const update = fc.record({
      // Within two months, so that there are gaps, and rows before and behind them.
      from: fc.nat(1400),
      energies: fc.array(fc.nat(5000), { minLength: 1, maxLength: 30 }),
      isRestart: fc.boolean(),
      // Commands until Home Assistant refuses everything, and Node-RED restarts; none = it stays.
      patience: fc.option(fc.nat(8)),
      version: fc.constantFrom("2025.10.1", "2026.3.0"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(update, { minLength: 1, maxLength: 8 }), async (updates) => {
        const assistant = new HomeAssistantStatistics();
        const stored = new StoredOwed();
        const expected = new Map<number, number>();
        let home = connected(assistant, stored);
        const restart = async (): Promise<void> => {
          home = connected(assistant, stored);
          await home.keeper.load();
        };
        for (const { from, energies, isRestart, patience, version } of updates) {
          if (isRestart) await restart();
          assistant.version = version;
          const hours = energies.map((energy, index): [number, number] => [from + index, energy]);
          for (const [hour, energy] of hours) expected.set(hour, energy);
          home.keeper.add([series(hours)]);
          const stop = new AbortController();
          // What was written is written, and its answer is lost.
          home.lose(patience ?? Infinity, () => stop.abort());
          await home.keeper.write(stop.signal).catch(() => undefined);
          if (stop.signal.aborted) await restart();
        }
        home.lose(Infinity, () => undefined);
        await home.keeper.write(new AbortController().signal);
        assertChanges(assistant, expected);
      }),
      { numRuns: casesOf(40) },
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
      hourlySeries({ parts }, ADDRESS, { prefix: "energy_sites", costs: true }, { unit: "kWh" }).map(
        ({ quantity, hours }) => [
          quantity,
          [...hours].map(([start, { energy }]): [string, number] => [
            new Date(start).toISOString().slice(0, 16),
            energy,
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
