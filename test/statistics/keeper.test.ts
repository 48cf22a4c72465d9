// Tests for what is written: each hour once, in the form of the version, and only what is new or differs.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import sinon from "sinon";
import { MAX_STATISTICS } from "../../src/limits";
import type { Hour } from "../../src/statistics/rows";
import { HomeAssistantStatistics, Refused } from "../support/home-assistant-statistics";
import { assertChanges, connected, HOUR, ID, series, START, StoredOwed, write } from "./home";

/** The hours that would be owed after a restart. */
async function storedHours(stored: StoredOwed): Promise<unknown[]> {
  return [...(await stored.load()).values()].flatMap(({ hours }) => [...hours]);
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
      from: "2026-05-04T01:00:00.000Z",
      to: "2026-05-04T02:00:00.000Z",
      corrected: 1,
    });
  });

  it("says from when to when the hours are that were written, not those that were the same", async () => {
    const home = connected(new HomeAssistantStatistics());
    const day = Array.from({ length: 24 }, (_none, hour): [number, number] => [hour, 100]);
    await write(home, day);
    await write(home, [...day, [5, 150], [9, 70]]);
    const { from, to, hours, corrected } = home.written.at(-1) ?? {};
    assert.deepEqual([from, to], ["2026-05-04T05:00:00.000Z", "2026-05-04T10:00:00.000Z"]);
    assert.deepEqual([hours, corrected], [2, 2]);
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
      Array.from({ length: 800 }, (_none, hour): [number, number] => [hour, 1]),
    );
    const sizes = home.commands.flatMap(({ stats }) => (Array.isArray(stats) ? [stats.length] : []));
    assert.ok(Math.max(...sizes) <= 750);
    const changes = assistant.changes(ID);
    assert.equal(changes.get(START + 2000 * HOUR), 5);
    assert.equal(
      [...changes.values()].reduce((all, one) => all + one, 0),
      811,
    );
  });

  it("takes the hours of 15 years at once", async () => {
    const assistant = new HomeAssistantStatistics();
    assistant.answer = ({ type }) => {
      if (type === "recorder/import_statistics") throw new Refused("Unauthorized");
      return type === "get_config" ? { version: "2026.8.0" } : {};
    };
    const hours = Array.from({ length: 131_400 }, (_none, hour): [number, number] => [hour, 1]);
    const home = connected(assistant);
    await assert.rejects(write(home, hours), /Unauthorized/);
    assert.equal(home.keeper.parts[0]?.owed, hours.length, "all are owed");
  });

  it("counts an hour that takes the place of the first row of 0 as new, not as corrected", async () => {
    const home = connected(new HomeAssistantStatistics());
    await write(home, [[0, 100]]);
    await write(home, [
      [-2, 70],
      [-1, 80],
    ]);
    assert.deepEqual(
      home.written.map(({ hours, corrected }) => [hours, corrected]),
      [
        [1, 0],
        [2, 0],
      ],
    );
  });

  for (const [name, update] of [
    ["hours before others", Array.from({ length: 800 }, (_none, hour): [number, number] => [hour - 900, 1])],
    ["a correction", [[0, 4] as [number, number]]],
  ] as const)
    for (const isRestart of [true, false])
      it(`shifts all rows behind ${name}, although it was stopped between two portions${isRestart ? " by a restart" : ""}`, async () => {
        const assistant = new HomeAssistantStatistics();
        const stored = new StoredOwed();
        const energies = new Map(Array.from({ length: 800 }, (_none, hour): [number, number] => [hour, 2]));
        await write(connected(assistant), energies);
        const home = connected(assistant, stored);
        const isImport = ({ type }: { type: string }): boolean => type === "recorder/import_statistics";
        const answer = assistant.answer.bind(assistant);
        // Takes one portion.
        assistant.answer = (command) => {
          const isFirst = home.commands.filter(isImport).length < 2;
          if (isImport(command as { type: string }) && !isFirst) throw new Refused("Unauthorized");
          return answer(command);
        };
        await assert.rejects(write(home, update), /Unauthorized/);
        assistant.answer = answer;
        const after = isRestart ? connected(assistant, stored) : home;
        await after.keeper.load();
        await after.keeper.write(new AbortController().signal);
        assertChanges(assistant, new Map([...energies, ...update]));
        assert.equal(after.keeper.isOwing, false);
        assert.deepEqual(await storedHours(stored), []);
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

  it("takes no answer but the one that it waits for", async () => {
    const { assistant } = connected(new HomeAssistantStatistics("2026.2.1"));
    const asked = assistant.ask({ type: "get_config" }, new AbortController().signal);
    assistant.answer("another", "of another");
    assert.deepEqual(await asked, { value: { version: "2026.2.1" }, refusal: undefined });
  });

  it("still owes what Home Assistant refuses, and writes it the next time", async () => {
    const assistant = new HomeAssistantStatistics();
    const home = connected(assistant);
    const answer = assistant.answer.bind(assistant);
    assistant.answer = (command) => {
      if (command["type"] === "recorder/import_statistics") throw new Refused("Unauthorized");
      return answer(command);
    };
    await assert.rejects(write(home, [[0, 100]]), /Unauthorized/);
    assert.equal(home.keeper.parts[0]?.owed, 1);
    assistant.answer = answer;
    await write(home, [[1, 200]]);
    assertChanges(
      assistant,
      new Map([
        [0, 100],
        [1, 200],
      ]),
    );
    assert.equal(home.keeper.parts[0]?.owed, 0);
  });

  it("goes on within a second or two once Home Assistant has taken what it queued", async () => {
    const clock = sinon.useFakeTimers({ now: START, toFake: ["setTimeout", "clearTimeout"] });
    try {
      const assistant = new HomeAssistantStatistics();
      const answer = assistant.answer.bind(assistant);
      assistant.answer = (command) => {
        if (command["type"] !== "recorder/import_statistics") return answer(command);
        setTimeout(() => answer(command), 2900);
        return null;
      };
      const home = connected(assistant);
      void write(home, [[0, 100]]);
      while (home.written.length === 0) {
        await setImmediate();
        await clock.tickAsync(10);
      }
      assert.ok(clock.now - START < 5900);
    } finally {
      clock.restore();
    }
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

  it("writes the lifetime counter as state, and keeps it where only the sum changes", async () => {
    const assistant = new HomeAssistantStatistics();
    const home = connected(assistant);
    const counted = (hour: number, energy: number, state: number | undefined): [number, Hour] => [
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
    // A correction that knows no counter.
    await add(counted(0, 140, undefined));
    assert.deepEqual(states(), [5000, 5100, 5300, 5350]);
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
    assert.deepEqual(await storedHours(stored), []);
  });

  it("keeps what came before what was stored is known, and stores nothing that is stored already", async () => {
    const stored = new StoredOwed();
    const assistant = new HomeAssistantStatistics();
    connected(assistant, stored).keeper.add(
      [ID, `${ID}_2`].map((id) => ({ ...series([[0, 100]]), id, name: "Before" })),
    );
    await setImmediate();
    const { keeper } = connected(assistant, stored);
    keeper.add([{ ...series([[1, 200]]), name: "After" }]);
    await keeper.load();
    await setImmediate();
    assert.equal(stored.saves, 3);
    const [renamed] = (await stored.load()).values();
    assert.equal(renamed?.name, "After");
    assert.equal(renamed?.hours.size, 2);
  });

  it("writes and shows nothing before it knows what was owed, which would replace newer hours later", async () => {
    const stored = new StoredOwed();
    const assistant = new HomeAssistantStatistics();
    connected(assistant, stored).keeper.add([series([[0, 100]])]);
    await setImmediate();
    const load = sinon.stub(stored, "load").rejects(new Error("no disk"));
    const home = connected(assistant, stored);
    await assert.rejects(write(home, [[0, 200]]), /no disk/);
    const rule = { prefix: "energy_sites", costs: true };
    await assert.rejects(home.keeper.dashboard(rule, new AbortController().signal), /no disk/);
    load.restore();
    await write(home, [[1, 300]]);
    await home.keeper.load();
    assert.equal(home.keeper.isOwing, false);
    const energies = new Map([
      [0, 200],
      [1, 300],
    ]);
    assertChanges(assistant, energies);
  });

  it("forgets the statistics that have had no hours for longest, rather than keep any number of them", async () => {
    const stored = new StoredOwed();
    const { keeper } = connected(new HomeAssistantStatistics(), stored);
    const one = series([[0, 100]]);
    keeper.add(
      Array.from({ length: MAX_STATISTICS }, (_none, index) => ({ ...one, id: `energy_sites:${index}` })),
    );
    keeper.add([{ ...one, id: "energy_sites:0" }]);
    keeper.add([{ ...one, id: "energy_sites:another" }]);
    await setImmediate();
    const ids = new Set(keeper.parts.map(({ id }) => id));
    assert.equal(ids.size, MAX_STATISTICS);
    for (const all of [ids, stored.ids])
      assert.deepEqual(
        ["0", "1", "another"].map((id) => all.has(`energy_sites:${id}`)),
        [true, false, true],
      );
  });
});
