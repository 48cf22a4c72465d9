// Tests for what the Energy dashboard gets.
import assert from "node:assert/strict";
import { statisticId } from "../../src/statistics/series";
import { HomeAssistantStatistics, Refused } from "../support/home-assistant-statistics";
import { ADDRESS, connected, series, write } from "./home";

describe("sources of the Energy dashboard", () => {
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
      home.keeper.dashboard("energy_sites", new AbortController().signal),
      /Unauthorized|statisticsRefused/,
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
      const { signal } = new AbortController();
      const quantities = ["solar", "imported", "exported", "charged", "discharged", "cost"] as const;
      keeper.add(
        quantities.map((quantity) => ({
          ...series([[0, 1]]),
          quantity,
          id: statisticId("energy_sites", ADDRESS, quantity),
        })),
      );
      const dashboard = await keeper.dashboard("energy_sites", signal);
      assert.deepEqual(dashboard.added.map(({ type }) => type).toSorted(), ["battery", "grid", "solar"]);
      await keeper.save(dashboard, signal);
      const { energy_sources, device_consumption } = assistant.preferences;
      assert.deepEqual(device_consumption, [car]);
      assert.ok(Array.isArray(energy_sources) && energy_sources.length === 4);
      assert.deepEqual((await keeper.dashboard("energy_sites", signal)).added, [], "nothing is added twice");
    }
  });
});
