// Tests for the example of Home Assistant's past with the real nodes for Home Assistant, whose messages reach a websocket server.
import assert from "node:assert/strict";
import { eventually } from "../support/eventually";
import { readExample } from "../support/examples";
import { Refused } from "../support/home-assistant-statistics";
import { type HomeAssistantServer, startHomeAssistant } from "../support/home-assistant-server";
import { type FlowNode, NODE_RED, type Runtime, startRuntime, withNodesOf } from "../support/runtime";

const TOKEN = "a token of the test";
const HOUR = 3_600_000;
const YEAR = 365 * 24;

describe("the example of Home Assistant's past, with its nodes", () => {
  let assistant: HomeAssistantServer;
  let runtime: Runtime;

  before(async () => {
    assistant = await startHomeAssistant(TOKEN);
    const settings = withNodesOf("node-red-contrib-home-assistant-websocket");
    runtime = await startRuntime(NODE_RED, {}, undefined, settings);
  });
  after(async () => {
    await runtime?.stop();
    await assistant?.close();
  });

  /** The example as a user finishes it: the server with its token, and one site. */
  const example = (): FlowNode[] =>
    readExample("15-home-assistant-past.json").map((node) => {
      if (node.type === "server")
        return { ...node, credentials: { host: assistant.url, access_token: TOKEN } };
      if (node.type === "tab") return { ...node, env: [{ name: "SITE", value: "demo-house", type: "str" }] };
      return node;
    });

  it("writes every hour of today and yesterday, shows the sources, and saves them", async () => {
    await runtime.deploy(example());
    const { statistics } = assistant;
    const yesterday = Math.floor(Date.now() / HOUR) * HOUR - 24 * HOUR;
    await eventually(
      () =>
        `${statistics.rows.size} series: ${statistics.commands.slice(-5).join(", ")}\n${runtime.output()}`,
      async () =>
        (statistics.rows.size >= 8 &&
          [...statistics.rows.values()].every((rows) => rows.has(yesterday) && rows.size >= 25)) ||
        undefined,
    );
    for (const id of statistics.rows.keys())
      for (const [, change] of statistics.changes(id)) assert.ok(change >= 0, `${id}: ${change}`);
    await runtime.inject("home-assistant-past-setup");
    await eventually(
      () => `no preferences were requested: ${statistics.commands.slice(-5).join(", ")}`,
      async () => statistics.commands.includes("energy/get_prefs") || undefined,
    );
    await runtime.inject("home-assistant-past-confirm");
    const saved = await eventually(
      () => runtime.output(),
      async () => statistics.preferences,
    );
    assert.deepEqual(
      (saved["energy_sources"] as { type: string }[]).map(({ type }) => type),
      ["solar", "battery", "grid"],
    );
  });

  it("writes all hours of last year at the press of a button", async () => {
    await runtime.inject("home-assistant-past-last-year");
    const { rows } = assistant.statistics;
    const sizes = (): number[] => [...rows.values()].map(({ size }) => size);
    await eventually(
      () => `${sizes().join(", ")} rows: ${runtime.output()}`,
      async () => Math.min(...sizes()) >= YEAR || undefined,
      240_000,
    );
  });

  it("says why Home Assistant refuses something", async () => {
    const { statistics } = assistant;
    const answer = statistics.answer.bind(statistics);
    statistics.answer = (command) => {
      if (command["type"] === "recorder/statistics_during_period") throw new Refused("Unauthorized");
      return answer(command);
    };
    await runtime.deploy(example());
    await eventually(
      () => runtime.output(),
      async () =>
        /refused recorder\/statistics_during_period: .*Unauthorized/.test(runtime.output()) || undefined,
    );
  });
});
