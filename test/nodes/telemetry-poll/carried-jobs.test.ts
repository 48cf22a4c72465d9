// Tests for jobs that bring their ledger: those of different series are served side by side, those of one series in order.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import { serveSites, siteIds } from "../../support/many-sites";
import { NOW, Polling, type SentRecord } from "../../support/polling";

interface Ended extends NodeMessage {
  job: number;
  energy: { ledger: { series: string } };
}

describe("a poll with jobs side by side", () => {
  const SIDE_BY_SIDE = 4;
  let polling: Polling;

  beforeEach(async () => {
    const properties = { siteId: "", store: "message", output: "batch" };
    polling = await Polling.open("energy-telemetry-poll", properties, { holdsTimers: true });
  });
  afterEach(() => polling.close());

  const jobs = (messages: object[]): number[] => (messages as { job: number }[]).map(({ job }) => job);
  const reads = (): number => polling.service.requestsTo(/telemetry$/).length;
  /** Sends jobs with a number, and what each of them says. */
  const send = (...messages: object[]): void =>
    messages.forEach((message, job) => polling.node.input({ job, ...message }));
  const completed = async (count: number): Promise<Ended[]> => {
    const ended: Ended[] = [];
    while (ended.length < count) ended.push((await polling.node.completed()) as Ended);
    return ended;
  };

  it("reads as many series at a time as the account sends requests", async () => {
    const sites = siteIds(10);
    serveSites(polling.service, sites);
    await polling.start();
    const hold = polling.service.hold(/telemetry$/);
    send(...sites.map((siteId) => ({ siteId })));
    await hold.arrived(SIDE_BY_SIDE);
    await polling.service.idle();
    assert.equal(reads(), SIDE_BY_SIDE);
    assert.ok(polling.node.statuses().some((text) => /^\d\d:\d\d · \d+ jobs in progress$/.test(text)));
    hold.release();
    const ended = await completed(10);
    assert.deepEqual(jobs(ended).toSorted(), jobs(polling.sent()).toSorted());
    assert.equal(new Set(ended.map(({ energy }) => energy.ledger.series)).size, 10);
    // Of many statuses within a second, the last one is shown in any case.
    await polling.advance(1);
    assert.match(polling.node.statuses().at(-1) ?? "", /1 record$/);
  });

  it("does the jobs of one series in order, however they name it", async () => {
    await polling.start();
    const hold = polling.service.hold(/demo-house\/telemetry$/);
    const systemId = "demo-house-1";
    send(
      { siteId: "demo-house" },
      { siteId: "demo-house", systemId },
      { siteId: "demo-farm" },
      { siteId: "demo-house", systemId: null },
    );
    assert.deepEqual(jobs(await completed(1)), [2]);
    assert.equal(polling.service.requestsTo(/demo-house\/telemetry$/).length, 1);
    hold.release();
    assert.deepEqual(jobs(await completed(3)), [0, 1, 3]);
    assert.deepEqual(jobs(polling.sent()), [2, 0, 1, 3]);
  });

  it("reads the systems of a site side by side", async () => {
    await polling.start();
    const hold = polling.service.hold(/telemetry$/, ({ query }) => query["systemId"] === "demo-twin-a");
    send({ siteId: "demo-twin", systemId: "demo-twin-a" }, { siteId: "demo-twin", systemId: "demo-twin-b" });
    assert.deepEqual(jobs(await completed(1)), [1]);
    hold.release();
    assert.deepEqual(jobs(await completed(1)), [0]);
  });

  it("sends the messages of each job in order, and completes it with its own ledger", async () => {
    await polling.start({ output: "record", startFrom: "hours", startHours: 1 });
    send({ siteId: "demo-house" }, { siteId: "demo-farm" }, { siteId: "demo-cabin" });
    const ended = await completed(3);
    for (const { job, energy } of ended) {
      const sent = polling.sent().filter((message) => jobs([message])[0] === job);
      const starts = sent.map(({ payload }) => Date.parse(payload.startTime));
      assert.ok(starts.length >= 11, `${starts.length} records`);
      assert.deepEqual(starts, starts.toSorted());
      assert.equal(energy.ledger.series, `${sent[0]?.siteId}/${sent[0]?.systemId}/telemetry`);
    }
  });

  it("fails a job with an invalid ledger alone", async () => {
    await polling.start();
    const hold = polling.service.hold(/telemetry$/);
    send(
      { siteId: "demo-house" },
      { siteId: "demo-farm", energy: { ledger: { cursor: "x" } } },
      { siteId: "demo-cabin" },
    );
    const caught = await polling.node.caught<{ job: number }>();
    assert.deepEqual([caught.job, caught.energy.error.code], [1, "ENERGY_INPUT"]);
    hold.release();
    assert.deepEqual(jobs(await completed(2)).toSorted(), [0, 2]);
  });

  it("drops a job whose time is over when its turn comes, and says so", async () => {
    await polling.start();
    const hold = polling.service.hold(/telemetry$/);
    const until = NOW + 60_000;
    const [later, never] = [NOW + 180_000, null];
    send(...[until, until, later, never].map((time) => ({ siteId: "demo-house", until: time })));
    await hold.arrived();
    polling.at(2);
    hold.release();
    const caught = await polling.node.caught<{ job: number; until: number }>();
    assert.deepEqual([caught.job, caught.energy.error.code, caught.until], [1, "ENERGY_TIMEOUT", until]);
    assert.match(caught.error.message, /msg\.until .*2026-06-10T10:08:00/);
    assert.deepEqual(jobs(await completed(3)), [0, 2, 3]);
    assert.equal(reads(), 3);
    assert.ok(polling.sent().every((message) => !("until" in message)));
  });

  it("drops none while the time is not confirmed, or a worker with a wrong clock would never learn the time", async () => {
    await polling.start();
    send({ siteId: "demo-house", until: NOW - 60_000 });
    assert.deepEqual(jobs(await completed(1)), [0]);
    assert.equal(reads(), 1);
  });

  it("refuses a job whose time cannot be read", async () => {
    await polling.start();
    send({ siteId: "demo-house", until: "soon" });
    const { energy } = await polling.node.caught();
    assert.deepEqual([energy.error.code, reads()], ["ENERGY_INPUT", 0]);
  });

  it("closes at once with jobs in progress, and completes none of them", async () => {
    serveSites(polling.service, siteIds(20));
    await polling.start();
    const hold = polling.service.hold(/telemetry$/);
    send(...siteIds(20).map((siteId) => ({ siteId })), ...siteIds(20).map((siteId) => ({ siteId })));
    await hold.arrived(SIDE_BY_SIDE);
    // The time that closing allows for work to end does not pass.
    await polling.node.remove();
    hold.release();
    await polling.service.idle();
    const { node } = polling;
    assert.deepEqual([node.completedSoFar(), node.caughtSoFar(), node.sent(), reads()], [[], [], [], 4]);
  });

  for (const [what, systems] of [
    ["without a system id", [{}]],
    ["that shows no systems", undefined],
  ] as const) {
    it(`has one key for a site ${what}, whatever its id`, async () => {
      const siteId = "näh/e #1+$%2F";
      const path = /v1\/sites$/;
      const times = Number.POSITIVE_INFINITY;
      serveSites(polling.service, []);
      polling.service.fault({ path, body: { sites: [{ siteId, systems }] }, times });
      polling.service.fault({ path: /sites\/[^/]+$/, body: { siteId, systems }, times });
      await polling.start();
      send({ siteId });
      const [{ energy } = { energy: undefined }] = await completed(1);
      assert.equal(energy?.ledger.series, `${encodeURIComponent(siteId)}//telemetry`);
      polling.at(5);
      await polling.restart();
      send({ siteId, energy: JSON.parse(JSON.stringify(energy)) });
      assert.equal((await completed(1))[0]?.energy.ledger.series, energy?.ledger.series);
      const [sent] = polling.sent() as unknown as (Omit<SentRecord, "payload"> & { payload: object[] })[];
      assert.deepEqual([sent?.topic, sent?.siteId, sent?.payload.length], [siteId, siteId, 1]);
    });
  }

  it("serves messages one at a time where nothing travels", async () => {
    serveSites(polling.service, siteIds(3));
    await polling.start({ store: "none", output: "record" });
    const hold = polling.service.hold(/telemetry$/);
    send(...siteIds(3).map((siteId) => ({ siteId })));
    await hold.arrived();
    await polling.service.idle();
    assert.equal(reads(), 1);
    hold.release();
    assert.deepEqual(jobs(await completed(3)), [0, 1, 2]);
  });
});
