// Tests for history after a failure: it reports the remaining range, which can be sent to the node again.
import assert from "node:assert/strict";
import helper from "node-red-node-test-helper";
import type { HistoryRemaining } from "../../../src/errors";
import { HOUR, isoRange } from "../../../src/time-units";
import type { ReceivedRequest } from "../../support/request-log";
import {
  THREE_DAYS,
  everyFiveMinutes,
  FIRST,
  HistoryReading,
  type SentRecord,
  startsOf,
} from "../../support/history-reading";

/** A range in the form of `remaining`. */
const remaining = ({ startTime, endTime }: typeof THREE_DAYS): HistoryRemaining => ({
  startTime: new Date(startTime).toISOString(),
  endTime: new Date(endTime).toISOString(),
});

describe("history: failures", () => {
  let history: HistoryReading;

  beforeEach(async () => {
    history = await HistoryReading.open();
  });
  afterEach(() => history.close());

  it("reports the remaining range of each node when both fail for the same reason", async () => {
    const other = {
      id: "other",
      z: "tab",
      type: "energy-history",
      account: "the-account",
      siteId: "demo-farm",
    };
    history.service.fault({ path: /auth/, status: 501, body: {}, times: 9 });
    const hold = history.service.hold(/auth/);
    await history.start({}, { others: [{ ...other, wires: [[], ["out-2"]] }] });
    const range2 = { ...THREE_DAYS, endTime: "2026-11-03T00:00:00Z" };
    history.node.input({ payload: THREE_DAYS });
    helper.getNode("other").receive({ payload: range2 });
    await hold.arrived();
    hold.release();
    const failures = [
      await history.node.caught<{ payload: unknown }>(),
      await history.node.caught<{ payload: unknown }>(),
    ];
    assert.ok(history.service.requestsTo(/auth/).length <= 3);
    assert.equal(failures.length, 2);
    for (const { payload, energy } of failures) {
      assert.equal(energy.error.code, "ENERGY_HTTP");
      assert.deepEqual(energy.error.remaining, remaining(payload as typeof THREE_DAYS));
    }
  });

  it("reports the remaining range after a failure, in a form that continues the run", async () => {
    await history.start();
    const hold = history.service.hold(/telemetry/);
    history.node.input({ payload: { startTime: "2026-10-26T00:00:00Z", endTime: "2026-11-02T00:00:00Z" } });
    await hold.arrived(4);
    const later = ({ query }: ReceivedRequest): boolean =>
      Date.parse(query["startTime"] ?? "") >= Date.UTC(2026, 9, 28);
    history.service.fault({ path: /telemetry/, status: 501, times: 9, fits: later });
    hold.release();
    const { energy } = await history.node.caught();
    assert.ok(history.service.requestsTo(/telemetry/).length <= 7 + 2);
    history.service.clearFaults();
    assert.equal(energy.error.code, "ENERGY_HTTP");
    const before = startsOf(history.node.sent<SentRecord>());
    assert.ok(before.length > 0);
    assert.ok(energy.error.remaining);
    assert.deepEqual(history.progress().at(-1)?.remaining, energy.error.remaining);
    await history.read(energy.error.remaining);
    assert.deepEqual(
      startsOf(history.node.sent<SentRecord>()),
      everyFiveMinutes(Date.UTC(2026, 9, 26), Date.UTC(2026, 10, 2)),
    );
  });

  it("has an error for each part that cannot be read, the last of them with what remains", async () => {
    await history.start();
    const [first, second] = [FIRST + HOUR, FIRST + 3 * HOUR];
    const touches = (from: number, to: number): boolean =>
      [first, second].some((start) => from < start + HOUR && to > start);
    history.service.fault({
      path: /telemetry/,
      status: 400,
      times: Infinity,
      fits: ({ query }) => touches(Date.parse(query["startTime"] ?? ""), Date.parse(query["endTime"] ?? "")),
    });
    history.node.input({ payload: isoRange({ start: FIRST, end: FIRST + 5 * HOUR }) });
    const caught = [await history.node.caught(), await history.node.caught()];
    assert.match(caught[0]?.error.message ?? "", /2026-11-01T01:00/);
    assert.match(caught[1]?.error.message ?? "", /2026-11-01T03:00/);
    const { remaining: before } = caught[0]?.energy.error ?? {};
    const { remaining: after } = caught[1]?.energy.error ?? {};
    assert.deepEqual([before, (after as { windows?: unknown[] }).windows?.length], [undefined, 2]);
    assert.equal(history.node.sent().length, 5 * 12 - 2 * 12);
  });
});
