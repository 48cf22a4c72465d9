// Tests for history on a schedule: yesterday, a quarter of an hour after midnight, for all systems of all sites.
import assert from "node:assert/strict";
import { DateTime } from "luxon";
import { HOUR, MINUTE } from "../../../src/time-units";
import { endsOf, expectedEnds, NOW, Polling } from "../../support/polling";

interface Batch {
  topic: string;
  payload: { startTime: string; endTime: string }[];
}

describe("history on a schedule", () => {
  let polling: Polling;

  afterEach(() => polling.close());

  it("reads yesterday of every system once a day, at 00:15", async () => {
    const properties = { siteId: "*", range: "yesterday", output: "batch", repeat: 24 * 60, onDeploy: false };
    polling = await Polling.open("energy-history", properties, { holdsTimers: true });
    const midnight = new Date(NOW);
    midnight.setHours(24, 0, 0, 0);
    polling.clock.setSystemTime(midnight.getTime() - HOUR);
    await polling.start();
    await polling.advance((HOUR + 14 * MINUTE) / 1000);
    assert.equal(polling.service.requests.length, 0);
    for (let minutes = 0; minutes < 15; minutes += 1) await polling.advance(60);
    const days = polling.node.sent<Batch>();
    assert.equal(days.length, 6);
    for (const { topic, payload } of days) {
      const [first, last] = [payload[0], payload.at(-1)];
      const length = Date.parse(last?.endTime ?? "") - Date.parse(first?.startTime ?? "");
      assert.deepEqual([topic, payload.length, length], [topic, 288, 24 * HOUR]);
      assert.ok(Date.parse(last?.endTime ?? "") > midnight.getTime() - 24 * HOUR);
    }
    const berlin = days.find(({ topic }) => topic === "demo-house/demo-house-1");
    assert.match(String(berlin?.payload[0]?.startTime), /T22:00/);
  });

  it("reads yesterday also if a message makes it read at that time, once that is done", async () => {
    const properties = { siteId: "demo-house", range: "yesterday", output: "batch", repeat: 24 * 60 };
    polling = await Polling.open("energy-history", properties, { holdsTimers: true });
    const midnight = new Date(NOW);
    midnight.setHours(24, 0, 0, 0);
    polling.clock.setSystemTime(midnight.getTime() + 15 * MINUTE);
    await polling.start();
    const hold = polling.service.hold(/telemetry/);
    polling.node.input({ payload: { startTime: "2026-05-01T00:00:00Z", endTime: "2026-05-02T00:00:00Z" } });
    await hold.arrived();
    await polling.advance(25);
    hold.release();
    await polling.node.completed();
    await polling.advance(60);
    const starts = polling.node.sent<Batch>().map(({ payload }) => payload[0]?.startTime);
    // Whatever day it is at the site at that time.
    const yesterday = DateTime.fromJSDate(midnight, { zone: "Europe/Berlin" }).minus({ days: 1 });
    assert.deepEqual(starts, ["2026-05-01T00:00:00.000Z", yesterday.startOf("day").toJSDate().toISOString()]);
  });

  /** A quarter past midnight at the site, of a service that shows records twenty minutes late. */
  async function openLate(onDeploy = true, wires: string[] = []): Promise<number> {
    const properties = { siteId: "demo-house", range: "yesterday", onDeploy, wires: [["out-1"], wires] };
    polling = await Polling.open("energy-history", properties, { holdsTimers: true });
    const midnight = Date.UTC(2026, 5, 10, 22);
    polling.clock.setSystemTime(midnight + 15 * MINUTE);
    polling.service.hideRecords(
      (_site, _system, { endTime }) => Date.parse(endTime) > Date.now() - 20 * MINUTE,
    );
    await polling.start();
    for (let seconds = 0; seconds < 60; seconds += 5) await polling.advance(5);
    return midnight;
  }

  it("fetches by itself what the service shows late, where nothing takes what remains", async () => {
    const midnight = await openLate();
    const early = expectedEnds(midnight - 24 * HOUR, midnight - 5 * MINUTE);
    assert.deepEqual(endsOf(polling.sent()), early);
    for (let minutes = 0; minutes < 60; minutes += 1) await polling.advance(60);
    assert.deepEqual(endsOf(polling.sent()), [...early, midnight]);
    assert.match(polling.node.statuses().at(-1) ?? "", /1 record$/);
    assert.deepEqual(polling.node.caughtSoFar(), []);
  });

  it("says that records may still arrive where something takes what remains", async () => {
    await openLate(true, ["out-2"]);
    assert.match(polling.node.statuses().at(-1) ?? "", /may still arrive/);
  });

  it("completes a message at once, and says that records may still arrive", async () => {
    await openLate(false);
    polling.node.input({});
    await polling.node.completed();
    assert.match(polling.node.statuses().at(-1) ?? "", /may still arrive/);
  });

  it("no longer waits for what the service shows late once it is cancelled", async () => {
    const midnight = await openLate();
    polling.node.input({ cancel: true });
    for (let minutes = 0; minutes < 60; minutes += 1) await polling.advance(60);
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(midnight - 24 * HOUR, midnight - 5 * MINUTE));
    assert.match(polling.node.statuses().at(-1) ?? "", /cancelled/);
    assert.deepEqual(polling.node.caughtSoFar(), []);
  });
});
