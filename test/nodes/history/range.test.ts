// Tests for a range that is set in the node: the payload is not read, and days are those of the site.
import assert from "node:assert/strict";
import { HOUR, MINUTE } from "../../../src/time-units";
import {
  everyFiveMinutes,
  HistoryReading,
  NOW,
  type SentRecord,
  startsOf,
  THREE_DAYS,
} from "../../support/history-reading";

describe("a range set in history", () => {
  let history: HistoryReading;

  afterEach(() => history.close());

  /** @param ahead by how much the service's clock is ahead, in milliseconds */
  async function start(properties: object, ahead = 0): Promise<void> {
    history = await HistoryReading.open(ahead);
    await history.start({ ...properties });
  }

  /** The demo house is in Berlin, at UTC+1 on those days. */
  const local = (day: number): number => Date.UTC(2026, 10, day, -1);

  it("is the last 24 hours, whatever the message says", async () => {
    await start({ range: "last24h" });
    // A record has times, too.
    const starts = startsOf(await history.read({ ...THREE_DAYS, solar: null }));
    // The first record has begun before; the one that has not ended yet is not sent.
    const first = NOW - 24 * HOUR - 2 * MINUTE;
    assert.deepEqual(starts, everyFiveMinutes(first, first + 24 * HOUR));
  });

  it("is yesterday at the site", async () => {
    await start({ range: "yesterday" });
    const starts = startsOf(await history.read({ day: "not a day" }));
    assert.deepEqual(starts, everyFiveMinutes(local(9), local(10)));
  });

  it("is yesterday at the site if only the list shows its time zone", async () => {
    await start({ range: "yesterday" });
    history.service.fault({ path: /sites\/demo-house$/, status: 403, times: Infinity });
    assert.deepEqual(startsOf(await history.read({})), everyFiveMinutes(local(9), local(10)));
  });

  it("is yesterday at a site of PC1, without the account's consent to PC1, if only the list shows its time zone", async () => {
    history = await HistoryReading.open();
    const properties = { range: "yesterday", source: "rgm", siteId: "demo-farm" };
    await history.start(properties, { account: { apiVersion: "" } });
    history.service.fault({ path: /sites\/demo-farm$/, status: 403, times: Infinity });
    assert.ok((await history.read({})).length > 0);
  });

  it("is yesterday as far as the service shows it yet: what is left goes on later", async () => {
    await start({ range: "yesterday" });
    // A quarter past midnight at the site, of a service that shows records twenty minutes late.
    history.clock.setSystemTime(local(10) + 15 * MINUTE);
    history.service.hideRecords(
      (_site, _system, { endTime }) => Date.parse(endTime) > Date.now() - 20 * MINUTE,
    );
    const starts = startsOf(await history.read({}));
    assert.deepEqual(starts, everyFiveMinutes(local(9), local(10) - 5 * MINUTE));
    const { finished, percent, remaining } = history.progress().at(-1) ?? {};
    assert.deepEqual([finished, percent], [false, 99]);
    const [startTime, endTime] = [local(10) - 5 * MINUTE, local(10)].map((time) =>
      new Date(time).toISOString(),
    );
    assert.deepEqual(remaining, { startTime, endTime });
    assert.match(history.node.statuses().at(-1) ?? "", /may still arrive/);
    history.clock.tick(10 * MINUTE);
    const all = startsOf(await history.read(remaining ?? {}));
    assert.deepEqual(all, everyFiveMinutes(local(9), local(10)));
    assert.equal(history.progress().at(-1)?.finished, true);
  });

  it("is last month at the site", async () => {
    await start({ range: "lastMonth" });
    // Which records are sent, the other ranges show.
    history.service.fault({ path: /telemetry/, body: { data: [] }, times: Infinity });
    await history.read({});
    const queries = history.queries();
    const [from, to] = [queries[0]?.["startTime"], queries.at(-1)?.["endTime"]];
    // Berlin still had DST on October 1.
    assert.deepEqual([from, to], ["2026-09-30T22:00:00.000Z", "2026-10-31T23:00:00.000Z"]);
  });

  it("is from one day to another, both included", async () => {
    await start({ range: "fromTo", from: "2026-11-02", to: "2026-11-03" });
    assert.deepEqual(startsOf(await history.read({})), everyFiveMinutes(local(2), local(4)));
  });

  it("follows the service where the local clock is wrong", async () => {
    await start({ range: "yesterday" }, -48 * HOUR);
    assert.deepEqual(startsOf(await history.read({})), everyFiveMinutes(local(7), local(8)));
  });

  it("reports days that cannot be read as a setting", async () => {
    await start({ range: "fromTo", from: "2026-11-03", to: "2026-11-02" });
    history.node.input({ payload: {} });
    const { error, energy } = await history.node.caught();
    assert.equal(energy.error.code, "ENERGY_CONFIG");
    assert.equal(error.message, "The last day must not be before the first. Correct one of them.");
    assert.equal(history.queries().length, 0);
  });

  it("goes on where a run ended early, if the payload is what that left", async () => {
    await start({ range: "yesterday" });
    const first = await history.read({
      startTime: "2026-11-09T20:00:00.000Z",
      endTime: "2026-11-09T23:00:00.000Z",
    });
    assert.deepEqual(startsOf(first), everyFiveMinutes(local(10) - 3 * HOUR, local(10)));
  });

  it("is read on a schedule", async () => {
    await start({ range: "fromTo", from: "2026-11-02", to: "2026-11-02", onDeploy: true });
    await history.clock.tickAsync(200);
    while (history.progress().at(-1)?.finished !== true) await history.node.output(2);
    assert.deepEqual(startsOf(history.node.sent<SentRecord>()), everyFiveMinutes(local(2), local(3)));
  });

  it("can be cancelled", async () => {
    await start({ range: "lastMonth" });
    const hold = history.service.hold(/telemetry/);
    history.node.input({ payload: {} });
    await hold.arrived();
    history.node.input({ cancel: true });
    await history.node.completed();
    await history.node.completed();
    hold.release();
    assert.equal(history.progress().at(-1)?.cancelled, true);
  });
});
