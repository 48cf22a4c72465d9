// Tests for the input of telemetry poll: msg.startTime without a store, and rejected input.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DAY } from "../../../src/time-units";
import { endsOf, expectedEnds, NOW, Polling } from "../../support/polling";

describe("telemetry poll: input", () => {
  let polling: Polling;

  beforeEach(async () => {
    polling = await Polling.open("energy-telemetry-poll", { siteId: "demo-house" });
  });
  afterEach(() => polling.close());

  describe("without a store", () => {
    it("reads from msg.startTime to now", async () => {
      await polling.start({ store: "none" });
      await polling.poll({ startTime: "2026-06-10T11:00:00+02:00" });
      assert.deepEqual(endsOf(polling.sent()), expectedEnds(Date.UTC(2026, 5, 10, 9), NOW));
      assert.ok(polling.sent().every((message) => !("startTime" in message)));
      await polling.poll({ startTime: "2026-06-10T11:00:00+02:00" });
      assert.equal(polling.sent().length, 2 * 13);
      await assert.rejects(readdir(join(polling.userDir, "energy-sites")));
    });

    for (const [startTime, code] of [
      ["yesterday", "ENERGY_INPUT"],
      ["2026-06-10T10:00:00", "ENERGY_INPUT"],
      [1_780_000_000_000, "ENERGY_INPUT"],
      ["2026-06-10T10:07:01Z", "ENERGY_RANGE"],
    ] as const) {
      it(`rejects msg.startTime ${startTime} with ${code}`, async () => {
        await polling.start({ store: "none" });
        polling.node.input({ startTime });
        const { energy } = await polling.node.caught();
        assert.equal(energy.error.code, code);
        assert.equal(polling.sent().length, 0);
        assert.equal(polling.service.requestsTo(/telemetry/).length, 0);
      });
    }
  });

  for (const [name, properties, text] of [
    [
      "too many hours to start back",
      { startFrom: "hours", startHours: 1e10 },
      /must be a number from 0 to 87840/,
    ],
    [
      "a confirmation timeout of more than an hour",
      { delivery: "confirmed", confirmTimeout: 9_999_999 },
      /must be a number from 0.01 to 604800/,
    ],
    ["a store that is not a name", { store: 5 }, /must be text/],
    ["an unknown store", { store: "disk" }, /file, none, message, context:memory/],
  ] as const) {
    it(`rejects ${name} with ENERGY_CONFIG`, async () => {
      await polling.start(properties);
      polling.node.input({});
      const { error, energy } = await polling.node.caught();
      assert.equal(energy.error.code, "ENERGY_CONFIG");
      assert.match(error.message, text);
    });
  }

  it("rejects a message with a range if the node remembers its position", async () => {
    await polling.start();
    polling.node.input({ startTime: "2026-06-10T09:00:00Z" });
    const { error, energy } = await polling.node.caught();
    assert.equal(energy.error.code, "ENERGY_INPUT");
    assert.match(error.message, /Remember position in/);
  });
});

describe("telemetry poll: input after a start with a clock that is two days behind", () => {
  let polling: Polling;

  beforeEach(async () => {
    const options = { serviceAhead: 2 * DAY };
    polling = await Polling.open("energy-telemetry-poll", { siteId: "demo-house" }, options);
  });
  afterEach(() => polling.close());

  it("reads from msg.startTime to now without a store", async () => {
    await polling.start({ store: "none" });
    polling.node.input({ startTime: "2026-06-10T11:00:00+02:00" });
    await Promise.race([polling.node.completed(), polling.node.caught()]);
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(Date.UTC(2026, 5, 10, 9), NOW));
  });
});
