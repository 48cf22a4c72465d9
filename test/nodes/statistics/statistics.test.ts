// Tests for statistics: totals with hours become complete statistics in Home Assistant, whose answers come back to the input.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { NodeMessage } from "node-red";
import sinon from "sinon";
import { isServiceObject, type ServiceObject } from "../../../src/models/service-object";
import { NODE, reportOf } from "../../support/diagnostics";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { HomeAssistantStatistics, Refused } from "../../support/home-assistant-statistics";

const HOUR = 3_600_000;
const START = Date.parse("2026-05-04T00:00:00Z");
const ADDRESS = { siteId: "demo-house", systemId: "demo-house-1" };

/** Totals of hours from `from` on, in kWh. */
function totals(from: number, solar: readonly number[], cost?: number): NodeMessage {
  const at = (hour: number): string => new Date(START + hour * HOUR).toISOString();
  const parts = solar.map((energy, index) => ({
    startTime: at(from + index),
    endTime: at(from + index + 1),
    until: at(from + index + 1),
    energy: { solar: energy, imported: null },
    money: cost === undefined ? null : { currency: "EUR", import: cost, revenue: null },
  }));
  return {
    payload: { parts },
    energy: { kind: "totals", split: "hour", unit: "kWh" },
    ...ADDRESS,
  };
}

interface Sent {
  payload: { protocol: string; data: ServiceObject };
  energy: object;
}

describe("statistics", () => {
  let node: NodeUnderTest;
  let assistant: HomeAssistantStatistics;

  beforeEach(() => (assistant = new HomeAssistantStatistics()));
  afterEach(() => node.stop());

  async function start(properties: Record<string, unknown> = {}): Promise<void> {
    node = await startNode("energy-statistics", properties, { account: null });
  }

  /** Plays the api node: an error comes by way of a catch node. */
  async function answerAll(): Promise<void> {
    for (;;) {
      const { payload, energy } = await node.output<Sent>();
      assert.equal(payload.protocol, "websocket");
      try {
        node.input({ payload: assistant.answer(payload.data), energy });
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        node.input({ payload, energy, error: { message: error.message } });
      }
    }
  }

  const written = async (): Promise<ServiceObject> =>
    (await node.output<{ payload: ServiceObject }>(2)).payload;

  const energies = (): number[] => {
    const [id = ""] = assistant.rows.keys();
    return [...assistant.changes(id).values()];
  };

  it("writes the hours of totals, says what was written, and completes each message", async () => {
    await start();
    void answerAll();
    node.input(totals(0, [1, 2, 0.5]));
    const payload = await written();
    assert.deepEqual(energies(), [0, 1000, 2000, 500]);
    assert.deepEqual(payload, {
      series: [...assistant.rows.keys()][0],
      hours: 3,
      from: "2026-05-04T00:00:00.000Z",
      to: "2026-05-04T03:00:00.000Z",
      corrected: 0,
    });
    await node.completed();
    assert.match(node.statuses().join("; "), /complete to \d\d:\d\d/);
  });

  it("says how far the statistics of all systems are complete, also after a run without work", async () => {
    await start();
    void answerAll();
    node.input(totals(0, [1, 2], 0.3));
    await written();
    // While costs are written; this is written in the same run, and another one has nothing to do.
    node.input({ ...totals(0, [1, 2]), systemId: "demo-house-2" });
    await written();
    await written();
    node.input({ topic: "setup", payload: "" });
    await written();
    for (const status of node.statuses().filter((text) => text.includes("complete")))
      assert.match(status, /complete to \d\d:\d\d/);
  });

  it("corrects hours that came late, and writes costs if it is set to", async () => {
    await start();
    void answerAll();
    node.input(totals(0, [1, 2], 0.3));
    await written();
    await written();
    assert.equal(assistant.rows.size, 2);
    const [, cost] = assistant.metadata.values();
    assert.deepEqual([cost?.["unit_of_measurement"], cost?.["unit_class"]], ["EUR", null]);
    node.input(totals(1, [2.5], 0.3));
    assert.equal((await written())["corrected"], 1);
    assert.deepEqual(energies(), [0, 1000, 2500]);
  });

  it("shows the same sources for the dashboard after a restart with nothing to write", async () => {
    await start();
    void answerAll();
    node.input(totals(0, [1]));
    await written();
    await node.completed();
    const shown = async (): Promise<ServiceObject> => {
      node.input({ topic: "setup", payload: "" });
      return written();
    };
    const before = await shown();
    assert.deepEqual(before["sources"], [
      { type: "solar", stat_energy_from: [...assistant.rows.keys()][0], config_entry_solar_forecast: null },
    ]);
    await node.redeploy({ dashboard: true });
    assert.deepEqual(await shown(), before);
  });

  it("says why Home Assistant refuses a command", async () => {
    await start();
    const answer = assistant.answer.bind(assistant);
    assistant.answer = (command) => {
      if (command["type"] === "recorder/import_statistics") throw new Refused("Unauthorized");
      return answer(command);
    };
    void answerAll();
    node.input(totals(0, [1]));
    const { error, energy: failed } = await node.caught();
    assert.equal(failed.error.code, "ENERGY_RESPONSE");
    assert.match(error.message, /refused recorder\/import_statistics: Unauthorized/);
  });

  for (const [what, isTold] of [
    ["says nothing", false],
    ["is not connected", true],
  ] as const)
    it(`waits while Home Assistant ${what}, and writes once it is back`, async () => {
      const clock = sinon.useFakeTimers({
        now: START + 6 * HOUR,
        toFake: ["Date", "setTimeout", "clearTimeout"],
      });
      try {
        await start();
        node.input(totals(0, [1, 2]));
        const { payload, energy } = await node.output<Sent>();
        if (isTold) node.input({ payload, energy, error: { message: "No connection to Home Assistant" } });
        await clock.tickAsync(61_000);
        assert.equal(node.statuses().at(-1), "waiting for Home Assistant");
        void answerAll();
        await clock.tickAsync(61_000);
        await written();
        assert.deepEqual(energies(), [0, 1000, 2000]);
        assert.deepEqual(node.caughtSoFar(), []);
      } finally {
        clock.restore();
      }
    });

  it("writes within seconds of a start, while the nodes of Home Assistant are still connecting", async () => {
    const clock = sinon.useFakeTimers({ now: START, toFake: ["Date", "setTimeout", "clearTimeout"] });
    try {
      await start();
      node.input(totals(0, [1, 2]));
      const { payload, energy } = await node.output<Sent>();
      node.input({ payload, energy, error: { message: "No connection to Home Assistant" } });
      void answerAll();
      while (node.sent(2).length === 0) {
        await clock.tickAsync(10);
        // Files are written in real time.
        await setImmediate();
      }
      assert.ok(Date.now() - START < 30_000);
      assert.deepEqual(energies(), [0, 1000, 2000]);
    } finally {
      clock.restore();
    }
  });

  it("takes an answer that comes late, once", async () => {
    const clock = sinon.useFakeTimers({
      now: START + 6 * HOUR,
      toFake: ["Date", "setTimeout", "clearTimeout"],
    });
    try {
      await start();
      node.input(totals(0, [1, 2]));
      void (async () => {
        for (;;) {
          const { payload, energy } = await node.output<Sent>();
          // Longer than until the command is sent again: each answer comes twice.
          setTimeout(() => node.input({ payload: assistant.answer(payload.data), energy }), 90_000);
        }
      })();
      while (node.sent(2).length === 0) {
        await clock.tickAsync(10_000);
        // Files are written in real time.
        await setImmediate();
      }
      assert.equal((await written())["hours"], 2);
      assert.deepEqual(energies(), [0, 1000, 2000]);
      assert.deepEqual(node.caughtSoFar(), []);
    } finally {
      clock.restore();
    }
  });

  it("still owes after a restart what Home Assistant has not taken, with the counters", async () => {
    await start();
    const message = totals(0, [1, 2]);
    const counters = [{ solar: 51_000 }, { solar: 53_000 }];
    node.input({ ...message, energy: { ...Object(message)["energy"], counters } });
    await node.output();
    await node.redeploy();
    void answerAll();
    await written();
    assert.deepEqual(energies(), [0, 1000, 2000]);
    const [states] = assistant.states.values();
    assert.deepEqual(
      [...(states ?? [])].map(([, state]) => state),
      [50_000, 51_000, 53_000],
    );
  });

  it("reports how its statistics stand, without their ids", async () => {
    await start();
    void answerAll();
    node.input(totals(0, [1, 2]));
    await written();
    await node.completed();
    const text = await reportOf(`nodes/${NODE}`);
    assert.match(text, /#### Statistics/);
    assert.match(text, /complete to 2026-05-04T02:00:00\.000Z, .*, owed 0\n/);
    assert.match(text, /Nothing looks wrong/);
    assert.doesNotMatch(text, /demo_house/);
  });

  it("refuses a prefix that Home Assistant's database may cut", async () => {
    await start({ prefix: "a".repeat(33) });
    node.input(totals(0, [1]));
    assert.equal((await node.caught()).energy.error.code, "ENERGY_CONFIG");
    await node.redeploy({ prefix: "a".repeat(32) });
    node.input(totals(0, [1]));
    await node.output();
  });

  it("saves nothing that was not shown before", async () => {
    await start({ dashboard: true });
    void answerAll();
    node.input(totals(0, [1]));
    await written();
    node.input({ topic: "setup", payload: "" });
    await written();
    // Meanwhile someone else saves what was to be added.
    const [solar] = assistant.rows.keys();
    assistant.preferences = { energy_sources: [{ type: "solar", stat_energy_from: solar }] };
    node.input({ topic: "setup", payload: "confirm" });
    assert.deepEqual((await written())["sources"], []);
    assert.equal(assistant.commands.includes("energy/save_prefs"), false);
  });

  it("shows what the dashboard would get, and saves it only if allowed and confirmed", async () => {
    await start({ dashboard: true });
    void answerAll();
    node.input(totals(0, [1]));
    await written();
    // What asks may be waiting for a response of http in: its other properties come back.
    const asked = async (payload: string): Promise<ServiceObject> => {
      node.input({ topic: "setup", payload, other: "survives" });
      const { payload: answer, other } = await node.output<{ payload: ServiceObject; other: string }>(2);
      assert.equal(other, "survives");
      return answer;
    };
    const { sources } = await asked("");
    assert.ok(Array.isArray(sources) && sources.length === 1);
    assert.equal(assistant.preferences, undefined);
    assert.equal((await asked("confirm"))["saved"], true);
    assert.ok(
      isServiceObject(assistant.preferences) && Array.isArray(assistant.preferences["energy_sources"]),
    );
  });

  it("refuses totals without hours", async () => {
    await start();
    node.input({ payload: {}, energy: { kind: "totals", split: "none" }, ...ADDRESS });
    assert.equal((await node.caught()).energy.error.code, "ENERGY_INPUT");
  });
});
