// Tests for history with `*`: each system is read with a sequence, a progress and an error of its own.
import assert from "node:assert/strict";
import { HOUR } from "../../../src/time-units";
import { serveSites, siteIds } from "../../support/many-sites";
import {
  everyFiveMinutes,
  FIRST,
  HistoryReading,
  type SentRecord,
  startsOf,
} from "../../support/history-reading";

const AN_HOUR = { startTime: "2026-11-01T00:00:00.000Z", endTime: "2026-11-01T01:00:00.000Z" };

interface Progress {
  payload: { finished: boolean; remaining?: object };
  topic: string;
}

describe("history of all systems", () => {
  let history: HistoryReading;

  beforeEach(async () => {
    history = await HistoryReading.open();
    await history.start({ siteId: "demo-twin", systemId: "*" });
  });
  afterEach(() => history.close());

  const recordsOf = (topic: string): SentRecord[] =>
    history.node.sent<SentRecord>().filter((message) => message.topic === topic);
  const progressOf = (topic: string): Progress[] =>
    history.node.sent<Progress>(2).filter((message) => message.topic === topic);

  it("reads each with its own sequence and progress", async () => {
    await history.read(AN_HOUR);
    for (const topic of ["demo-twin/demo-twin-a", "demo-twin/demo-twin-b"]) {
      const records = recordsOf(topic);
      assert.deepEqual(startsOf(records), everyFiveMinutes(FIRST, FIRST + HOUR));
      assert.deepEqual(records.at(-1)?.parts.count, 12);
      assert.equal(new Set(records.map(({ parts }) => parts.id)).size, 1);
      assert.equal(progressOf(topic).at(-1)?.payload.finished, true);
    }
  });

  it("goes on with a system that failed, and with no other", async () => {
    const isOfB = ({ query }: { query: Record<string, string> }): boolean =>
      query["systemId"] === "demo-twin-b";
    history.service.fault({ path: /telemetry/, fits: isOfB, status: 501, times: 9 });
    history.node.input({ payload: AN_HOUR });
    const { energy } = await history.node.caught();
    const { remaining } = progressOf("demo-twin/demo-twin-b").at(-1)?.payload ?? {};
    assert.deepEqual(remaining, { ...AN_HOUR, siteId: "demo-twin", systemId: "demo-twin-b" });
    assert.deepEqual(energy.error.remaining, remaining);
    assert.equal(recordsOf("demo-twin/demo-twin-a").length, 12);
    history.node.input({ payload: remaining });
    const again = await history.node.caught();
    assert.deepEqual(again.energy.error.remaining, remaining, "still names its system");
    history.service.clearFaults();
    await history.read(remaining ?? {});
    assert.equal(recordsOf("demo-twin/demo-twin-a").length, 12);
    assert.equal(recordsOf("demo-twin/demo-twin-b").length, 12);
  });

  it("tells what is left of each if the service fails for all before it has come to all", async () => {
    await history.node.stop();
    const sites = serveSites(history.service, siteIds(40));
    sites.statusOf = () => 400;
    await history.start({ siteId: "*", systemId: "*" }, { account: { concurrency: 1 } });
    history.node.input({ payload: AN_HOUR });
    await history.node.caught();
    assert.ok(new Set(sites.requested()).size < 40);
    const left = history.node.sent<Progress>(2).flatMap(({ topic, payload }) => {
      return payload.remaining ? [topic] : [];
    });
    assert.equal(left.length, 40);
    assert.equal(new Set(left).size, 40);
  });

  it("has one error if the service fails for all, and tells on output 2 what is left of each", async () => {
    history.service.fault({ path: /telemetry/, status: 501, times: 99 });
    history.node.input({ payload: AN_HOUR });
    const { energy } = await history.node.caught();
    history.service.clearFaults();
    await history.read(AN_HOUR);
    assert.equal(history.node.caughtSoFar().length, 1);
    assert.deepEqual([energy.error.statusCode, energy.error.remaining], [501, undefined]);
    for (const systemId of ["demo-twin-a", "demo-twin-b"]) {
      const left = progressOf(`demo-twin/${systemId}`).find(({ payload }) => payload.remaining);
      assert.deepEqual(left?.payload.remaining, { ...AN_HOUR, siteId: "demo-twin", systemId });
    }
  });

  it("says so if a system that it is to go on with is no longer listed", async () => {
    history.node.input({ payload: { ...AN_HOUR, siteId: "demo-twin", systemId: "demo-twin-z" } });
    const { energy } = await history.node.caught();
    assert.equal(energy.error.statusCode, 404);
    assert.deepEqual(history.node.sent(), []);
  });

  it("goes on with no other system, even if that is the only one listed", async () => {
    await history.node.stop();
    await history.start({ siteId: "demo-house", systemId: "*" });
    history.node.input({ payload: { ...AN_HOUR, siteId: "demo-house", systemId: "demo-house-z" } });
    const { energy } = await history.node.caught();
    assert.equal(energy.error.statusCode, 404);
    assert.deepEqual(history.node.sent(), []);
  });

  it("goes on with the system that is left only, also where the list shows no systems", async () => {
    await history.node.stop();
    history.service.fault({
      path: /v1\/sites$/,
      body: { sites: [{ siteId: "demo-twin" }] },
      times: Infinity,
    });
    await history.start({ siteId: "*", systemId: "*" });
    await history.read({ ...AN_HOUR, siteId: "demo-twin", systemId: "demo-twin-b" });
    assert.deepEqual(recordsOf("demo-twin/demo-twin-a"), []);
    assert.equal(recordsOf("demo-twin/demo-twin-b").length, 12);
  });

  it("reads the system set in the node, whatever site the rest of another run names", async () => {
    await history.node.stop();
    await history.start({ siteId: "demo-twin", systemId: "demo-twin-a" });
    await history.read({ ...AN_HOUR, siteId: "demo-farm", systemId: "demo-farm-1" });
    assert.deepEqual([...new Set(history.node.sent().map(({ topic }) => topic))], ["demo-twin/demo-twin-a"]);
  });

  it("reads the systems of the site set in the node, whatever site the rest of another run names", async () => {
    await history.read({ ...AN_HOUR, siteId: "demo-farm", systemId: "demo-farm-1" });
    const topics = new Set(history.node.sent().map(({ topic }) => topic));
    assert.deepEqual([...topics].toSorted(), ["demo-twin/demo-twin-a", "demo-twin/demo-twin-b"]);
  });

  it("reads the system set in the node at each site, whatever system the rest of another run names", async () => {
    await history.node.stop();
    const body = { sites: [{ siteId: "demo-twin" }] };
    history.service.fault({ path: /v1\/sites$/, body, times: Infinity });
    await history.start({ siteId: "*", systemId: "demo-twin-a" });
    await history.read({ ...AN_HOUR, siteId: "demo-twin", systemId: "demo-twin-b" });
    assert.deepEqual([...new Set(history.node.sent().map(({ topic }) => topic))], ["demo-twin/demo-twin-a"]);
  });
});
