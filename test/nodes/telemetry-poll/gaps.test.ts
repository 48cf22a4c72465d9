// Tests for telemetry poll across outages, failures and late records: no record is missed or repeated.
import assert from "node:assert/strict";
import type { TelemetryRecord } from "../../../src/models/telemetry";
import { HOUR, MINUTE } from "../../../src/time-units";
import { endsOf, expectedEnds, NOW, Polling, times } from "../../support/polling";

describe("telemetry poll: gaps", () => {
  let polling: Polling;

  beforeEach(async () => {
    polling = await Polling.open("energy-telemetry-poll", { siteId: "demo-house" });
  });
  afterEach(() => polling.close());

  /** When more than a day behind, a poll requests the latest window first, then the first and second overdue ones. */
  const failSecondWindow = async (): Promise<void> => {
    const latest = polling.service.hold(/telemetry/);
    await latest.arrived(1);
    const first = polling.service.hold(/telemetry/);
    latest.release();
    await first.arrived(1);
    polling.service.fault({ path: /telemetry/, status: 501, times: 9 });
    first.release();
    await polling.node.caught();
    polling.service.clearFaults();
  };

  it("catches up after an outage of days in windows of at most 24 hours, every record once and in order", async () => {
    await polling.start();
    await polling.poll();
    const later = NOW + 75 * HOUR;
    polling.clock.setSystemTime(later);
    await polling.restart();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW, later));
    const windows = polling.queries().map(({ startTime = "", endTime = "" }) => times([startTime, endTime]));
    // The first poll, the latest window, and the four overdue windows.
    assert.equal(windows.length, 1 + 1 + 4);
    let [expectedStart] = expectedEnds(NOW - 5 * MINUTE, NOW);
    for (const [start = 0, end = 0] of windows.slice(-4)) {
      assert.equal(start, expectedStart);
      assert.ok(end - start <= 24 * HOUR);
      expectedStart = end;
    }
    assert.equal(polling.sent(1).at(-1)?.energy.phase, "live");
    assert.equal(polling.sent(1)[0]?.energy.phase, "catchup");
  });

  it("moves no cursor when a poll fails, and loses nothing", async () => {
    await polling.start();
    await polling.poll();
    polling.clock.setSystemTime(NOW + HOUR);
    polling.service.fault({ path: /telemetry/, status: 501, times: 9 });
    polling.node.input({});
    const caught = await polling.node.caught();
    assert.ok(caught.error);
    polling.service.clearFaults();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW - 5 * MINUTE, NOW + HOUR));
  });

  it("keeps what a catch-up delivered before it failed, and continues from there", async () => {
    await polling.start({ startFrom: "hours", startHours: 48 });
    polling.node.input({});
    await failSecondWindow();
    // The window ends at 10:07, and the record from 10:05 to 10:10 crosses its edge.
    const cut = NOW - 24 * HOUR + 3 * MINUTE;
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW - 48 * HOUR, cut));
    await polling.restart();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(cut, NOW));
  });

  it("sends nothing from a batch that fails midway, and all of it the next time", async () => {
    await polling.start({ startFrom: "hours", startHours: 48, output: "batch" });
    polling.node.input({});
    await failSecondWindow();
    assert.equal(polling.sent().length, 0);
    await polling.poll();
    assert.equal(polling.node.sent<{ payload: TelemetryRecord[] }>()[0]?.payload.length, 48 * 12);
  });

  it("delivers a late record as soon as the service has it", async () => {
    await polling.start();
    await polling.poll();
    polling.service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > NOW);
    polling.clock.setSystemTime(NOW + 3 * HOUR);
    await polling.poll();
    assert.equal(polling.sent().length, 1);
    polling.service.hideRecords(undefined);
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW - 5 * MINUTE, NOW + 3 * HOUR));
  });

  it("sends every unaligned record once when a window edge cuts it", async () => {
    const shift = 2.5 * MINUTE;
    polling.service.changeRecords((_site, _system, record) => ({
      ...record,
      startTime: new Date(Date.parse(record.startTime) + shift).toISOString(),
      endTime: new Date(Date.parse(record.endTime) + shift).toISOString(),
    }));
    await polling.start({ startFrom: "hours", startHours: 30 });
    await polling.poll();
    const unshifted = expectedEnds(NOW - 30 * HOUR - shift, NOW - shift);
    assert.equal(unshifted.length, 30 * 12);
    assert.deepEqual(
      endsOf(polling.sent()),
      unshifted.map((end) => end + shift),
    );
  });

  it("reads what the service still keeps in one run, and the rest in samples, where that refuses what is old", async () => {
    await polling.start();
    await polling.poll();
    const later = NOW + 960 * HOUR;
    polling.clock.setSystemTime(later);
    const kept = later - 50 * HOUR;
    const isOld = ({ query }: { query: Record<string, string> }): boolean =>
      Date.parse(query["startTime"] ?? "") < kept;
    polling.service.fault({ path: /telemetry/, fits: isOld, status: 404, times: Number.POSITIVE_INFINITY });
    for (const [records, requests] of [
      [expectedEnds(kept, later).length - 1, 50],
      [0, 10],
      [0, 10],
    ] as const) {
      await polling.restart();
      const before = polling.queries().length;
      await polling.poll();
      assert.ok(Math.abs(polling.sent().length - records) <= 1, `${polling.sent().length} records`);
      const asked = polling.queries().length - before;
      assert.ok(asked <= requests, `${asked} requests`);
    }
  });

  it("goes on from where it was, and not from an old record that the service shows for every time", async () => {
    await polling.start({ startFrom: "hours", startHours: 1 });
    let shown = NOW - 30 * 24 * HOUR;
    polling.service.fault({
      path: /telemetry/,
      times: Number.POSITIVE_INFINITY,
      respond: (_request, response) => {
        const [startTime, endTime] = [shown, (shown += MINUTE)].map((time) => new Date(time).toISOString());
        response.end(JSON.stringify({ data: [{ startTime, endTime }] }));
      },
    });
    await polling.poll();
    assert.equal(polling.queries().length, 1);
    polling.service.clearFaults();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(NOW - HOUR, NOW));
    assert.equal(polling.sent()[0]?.energy.phase, "catchup");
    assert.deepEqual(polling.node.caughtSoFar(), []);
  });

  it("gives a gap up although messages between those that ask for it name no site", async () => {
    await polling.start({ siteId: "", gapHours: 2 });
    const missing = new Date(NOW + 8 * MINUTE).toISOString();
    polling.service.hideRecords((_site, _system, { endTime }) => endTime === missing);
    for (let hours = 0; hours < 6; hours += 1) {
      polling.at(hours * 60);
      await polling.poll({ siteId: "demo-house" });
      polling.node.input({});
      await polling.node.caught();
    }
    assert.match(polling.node.statuses().join(), /gap given up/);
  });
});
