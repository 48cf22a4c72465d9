// Tests for ranges and addresses that history cannot read: it says why, and requests no records.
import assert from "node:assert/strict";
import { THREE_DAYS, HistoryReading } from "../../support/history-reading";

describe("history: rejected input", () => {
  let history: HistoryReading;

  beforeEach(async () => {
    history = await HistoryReading.open();
  });
  afterEach(() => history.close());

  for (const [name, payload, code] of [
    ["no range", "go", "ENERGY_INPUT"],
    ["null", null, "ENERGY_INPUT"],
    ["both forms together", { day: "2026-11-01", startTime: "2026-11-01T00:00:00Z" }, "ENERGY_INPUT"],
    ["a time without an offset", { ...THREE_DAYS, startTime: "2026-11-01T00:00:00" }, "ENERGY_INPUT"],
    ["no end", { startTime: THREE_DAYS.startTime }, "ENERGY_INPUT"],
    ["a day that does not exist", { day: "2026-02-30" }, "ENERGY_INPUT"],
    ["half a day", { day: "2026-11-01", days: 0.5 }, "ENERGY_INPUT"],
    ["no day at all", { day: "2026-11-01", days: 0 }, "ENERGY_INPUT"],
    [
      "an end before the start",
      { startTime: THREE_DAYS.endTime, endTime: THREE_DAYS.startTime },
      "ENERGY_RANGE",
    ],
    [
      "a start in the future",
      { startTime: "2026-11-11T00:00:00Z", endTime: "2026-11-12T00:00:00Z" },
      "ENERGY_RANGE",
    ],
    ["a day in the future", { day: "2026-12-24" }, "ENERGY_RANGE"],
    [
      "more than ten years",
      { startTime: "2010-01-01T00:00:00Z", endTime: "2026-01-01T00:00:00Z" },
      "ENERGY_RANGE",
    ],
  ] as const) {
    it(`rejects ${name} with ${code}`, async () => {
      await history.start();
      history.node.input({ payload });
      const { energy } = await history.node.caught();
      assert.equal(energy.error.code, code);
      assert.equal(history.service.requestsTo(/telemetry/).length, 0);
      assert.equal(history.node.sent(1).length + history.node.sent(2).length, 0);
    });
  }

  it("rejects days for a site without a known time zone", async () => {
    const site = { siteId: "demo-house", timezone: "Mars/Base", systems: [] };
    history.service.fault({ path: /demo-house$/, body: site });
    history.service.fault({ path: /sites$/, body: [site] });
    await history.start();
    history.node.input({ payload: { day: "2026-11-01" } });
    const { error, energy } = await history.node.caught();
    assert.equal(energy.error.code, "ENERGY_INPUT");
    assert.match(error.message, /time zone of the site is unknown.*startTime/);
    assert.equal(energy.error.remaining, undefined);
  });

  it("names the systems to choose from", async () => {
    await history.start({ siteId: "demo-twin", systemId: "" });
    history.node.input({ payload: THREE_DAYS });
    assert.match((await history.node.caught()).error.message, /demo-twin-a, demo-twin-b/);
  });
});
