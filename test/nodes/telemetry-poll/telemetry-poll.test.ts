// Tests for telemetry poll: every new record once, with its metadata, in single messages or in batches.
import assert from "node:assert/strict";
import type { TelemetryEnergy } from "../../../src/messages/messages";
import type { TelemetryRecord } from "../../../src/models/telemetry";
import { HOUR, MINUTE } from "../../../src/time-units";
import { endsOf, expectedEnds, NOW, Polling, times } from "../../support/polling";

describe("telemetry poll", () => {
  let polling: Polling;

  beforeEach(async () => {
    polling = await Polling.open("energy-telemetry-poll", { siteId: "demo-house" });
  });
  afterEach(() => polling.close());

  it("starts with the newest record, then sends every new one once", async () => {
    await polling.start();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), [Date.UTC(2026, 5, 10, 10, 5)]);
    polling.clock.setSystemTime(NOW + 20 * MINUTE);
    await polling.poll();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW - 5 * MINUTE, NOW + 20 * MINUTE));
  });

  it("sends each record with its phase, id, times, cursor and address", async () => {
    await polling.start();
    await polling.poll({ other: "survives" });
    const [message] = polling.sent();
    assert.ok(message);
    const { startTime, endTime } = message.payload;
    assert.deepEqual(message.energy, {
      kind: "telemetry",
      siteName: "Demo house",
      phase: "live",
      recordId: `demo-house/demo-house-1/telemetry/${new Date(startTime).toISOString()}`,
      startTime,
      endTime,
      // It was seen two minutes after its end, and no schedule says how often the node reads.
      validUntil: new Date(Date.parse(endTime) + (5 + 2 + 2 * 5) * MINUTE).toISOString(),
      cursor: endTime,
      basis: { grid: "ac", solar: "ac", consumption: "ac", storage: "ac" },
    });
    assert.equal(message.topic, "demo-house/demo-house-1");
    assert.equal(message.siteId, "demo-house");
    assert.equal(message.systemId, "demo-house-1");
    assert.equal((message as unknown as { other: string }).other, "survives");
  });

  it("sends a copy of the newest record on output 2 while it is fresh", async () => {
    await polling.start({ startFrom: "hours", startHours: 1 });
    await polling.poll();
    assert.equal(polling.sent(1).length, 12);
    assert.equal(polling.sent(2).length, 1);
    assert.deepEqual(polling.sent(2)[0]?.payload, polling.sent(1).at(-1)?.payload);
    assert.notEqual(polling.sent(2)[0]?.payload, polling.sent(1).at(-1)?.payload);
  });

  it("sends nothing on output 2 if the newest record is older than maxAge", async () => {
    polling.service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > NOW - 20 * MINUTE);
    await polling.start({ startFrom: "hours", startHours: 1, maxAge: 15 });
    await polling.poll();
    assert.equal(polling.sent(2).length, 0);
    const phases = polling.sent(1).map(({ energy }) => energy.phase);
    assert.deepEqual(phases, Array(8).fill("catchup"));
  });

  it("starts the given hours back, including fractions", async () => {
    await polling.start({ startFrom: "hours", startHours: "1.5" });
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW - 1.5 * HOUR, NOW));
  });

  it("sends all new records in one message in batch mode", async () => {
    await polling.start({ output: "batch", startFrom: "hours", startHours: 30 });
    await polling.poll();
    const messages = polling.node.sent<{ payload: TelemetryRecord[]; energy: TelemetryEnergy }>();
    assert.equal(messages.length, 1);
    const [{ payload, energy }] = messages as [(typeof messages)[0]];
    assert.deepEqual(times(payload.map(({ endTime }) => endTime)), expectedEnds(NOW - 30 * HOUR, NOW));
    assert.ok("records" in energy);
    assert.equal(energy.records.length, payload.length);
    assert.equal(energy.cursor, payload.at(-1)?.endTime);
    assert.equal(energy.records[0]?.phase, "catchup");
  });

  it("sends no message if there is nothing new", async () => {
    await polling.start({ output: "batch" });
    await polling.poll();
    await polling.poll();
    assert.equal(polling.sent().length, 1);
  });

  it("never runs two polls at once: messages that arrive during a poll are processed after it", async () => {
    const hold = polling.service.hold(/telemetry/);
    await polling.start();
    polling.node.input({ payload: 1 });
    polling.node.input({ payload: 2 });
    await hold.arrived(1);
    assert.equal(polling.service.requestsTo(/telemetry/).length, 1);
    hold.release();
    await polling.node.completed();
    await polling.node.completed();
    assert.equal(polling.service.requestsTo(/telemetry/).length, 2);
    assert.equal(polling.sent().length, 1);
  });

  it("shows time and count of the last records", async () => {
    await polling.start({ startFrom: "hours", startHours: 1 });
    await polling.poll();
    assert.match(polling.node.statuses().at(-1) ?? "", /^\d\d:\d\d · 12 records$/);
    await polling.poll();
    assert.match(polling.node.statuses().at(-1) ?? "", /^\d\d:\d\d · no new records$/);
  });
});
