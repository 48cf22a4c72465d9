// Tests for confirmed delivery of many systems: each waits for its own confirmations, and holds up no other.
import assert from "node:assert/strict";
import { MINUTE } from "../../../src/time-units";
import { serveSites, siteIds } from "../../support/many-sites";
import { endsOf, expectedEnds, NOW, Polling, type SentRecord } from "../../support/polling";

/** Those of all demo sites. */
const SYSTEMS = 6;
/** Ends a wait that never succeeds. */
const MAX_ATTEMPTS = 500;

describe("confirmed delivery of many systems", () => {
  // Hundreds of records and confirmations, each a message through the runtime.
  let polling: Polling;
  let confirmed: Set<SentRecord>;

  beforeEach(async () => {
    confirmed = new Set();
    const defaults = {
      siteId: "*",
      systemId: "*",
      startFrom: "hours",
      startHours: 0.5,
      delivery: "confirmed",
      confirmTimeout: 3600,
    };
    polling = await Polling.open("energy-telemetry-poll", defaults, { holdsTimers: true });
  });
  afterEach(() => polling.close());

  /** Waits for what needs nothing but the answers of the service. */
  const until = async (isSo: () => boolean): Promise<void> => {
    for (let attempts = 0; attempts < MAX_ATTEMPTS && !isSo(); attempts += 1) await polling.service.idle();
    assert.ok(isSo(), `never: ${String(isSo)}`);
  };
  const sentOf = (fits: (message: SentRecord) => boolean): SentRecord[] => polling.sent().filter(fits);
  const confirm = (message: SentRecord): void =>
    polling.node.input({ payload: "confirms", energy: message.energy });
  /** Confirms each record as it arrives, up to the given number of records. */
  const confirmEach = async (count: number, fits: (message: SentRecord) => boolean): Promise<void> =>
    until(() => {
      for (const message of sentOf(fits).filter((one) => !confirmed.has(one))) {
        confirmed.add(message);
        confirm(message);
      }
      return sentOf(fits).length >= count;
    });
  /** The payloads of the messages that are done, apart from confirmations. */
  const done = (): unknown[] =>
    polling.node
      .completedSoFar()
      .map(({ payload }) => payload)
      .filter((payload) => payload !== "confirms");
  const farm = ({ siteId }: SentRecord): boolean => siteId === "demo-farm";
  const notFarm = (message: SentRecord): boolean => !farm(message);
  const any = (): boolean => true;

  it("goes on with all others, and output 2, while one is never confirmed", async () => {
    await polling.start({ maxUnconfirmed: 2 });
    polling.node.input({ payload: "first" });
    for (const runs of [0, 1, 2]) {
      const perSystem = 6 + runs;
      if (runs > 0) {
        polling.at(5 * runs);
        polling.node.input({ payload: `after ${runs} runs` });
      }
      await confirmEach((SYSTEMS - 1) * perSystem, notFarm);
      // Including the one of the farm.
      await until(() => polling.sent(2).length >= SYSTEMS * (runs + 1));
    }
    const ends = expectedEnds(NOW - 30 * MINUTE, NOW + 10 * MINUTE);
    for (const site of ["demo-house", "demo-cabin", "demo-balcony"])
      assert.deepEqual(endsOf(sentOf(({ siteId }) => siteId === site)), ends);
    assert.deepEqual(endsOf(sentOf(farm)), ends.slice(0, 2));
    assert.equal(polling.sent(2).length, SYSTEMS * 3);
    assert.deepEqual(polling.node.caughtSoFar(), []);
  });

  it("completes a message once its own records have been sent", async () => {
    await polling.start({ maxUnconfirmed: 2 });
    polling.node.input({ payload: "first" });
    await confirmEach((SYSTEMS - 1) * 6, notFarm);
    await until(() => sentOf(farm).length === 2);
    for (const message of sentOf(farm)) confirm(message);
    await until(() => sentOf(farm).length === 4);
    assert.deepEqual(done(), []);
    for (const message of sentOf(farm).slice(2)) confirm(message);
    await until(() => done().length > 0);
    assert.deepEqual([done(), sentOf(any).length], [["first"], SYSTEMS * 6]);
  });

  it("completes messages for other systems while one is never confirmed", async () => {
    await polling.start({ siteId: "", systemId: "", maxUnconfirmed: 2 });
    polling.node.input({ payload: "farm", siteId: "demo-farm" });
    polling.node.input({ payload: "house", siteId: "demo-house" });
    await confirmEach(6, notFarm);
    await until(() => done().length > 0);
    assert.deepEqual(done(), ["house"]);
  });

  it("costs two requests for each system when 20 wait and everything is confirmed", async () => {
    const [count, records] = [20, 6];
    serveSites(polling.service, siteIds(count)).records = records;
    await polling.start({ maxUnconfirmed: 1 });
    polling.node.input({ payload: "first" });
    await until(() => sentOf(any).length === count);
    await confirmEach(count * records, any);
    await until(() => done().length > 0);
    assert.deepEqual([done(), sentOf(any).length], [["first"], count * records]);
    // One that shows the records, and one that goes on once they are confirmed.
    assert.equal(polling.queries().length, 2 * count);
    assert.ok(polling.service.requestsTo(/sites$/).length <= 2);
  });

  it("shows in the status what it notices when it goes on after confirmations", async () => {
    await polling.start({ siteId: "demo-house", maxUnconfirmed: 1 });
    polling.node.input({ payload: "first" });
    await until(() => sentOf(any).length > 0);
    const bad = NOW + 3 * MINUTE;
    polling.service.changeRecords((_site, _system, record) =>
      Date.parse(record.endTime) === bad ? Object.assign({}, record, { endTime: null }) : record,
    );
    polling.at(10);
    await confirmEach(6, any);
    const { energy } = await polling.node.caught();
    assert.equal(energy.error.code, "ENERGY_RESPONSE");
    await until(() => polling.node.statuses().includes("unreadable record"));
  });

  it("reports a system that fails when it goes on after confirmations, and goes on with the others", async () => {
    await polling.start({ siteId: "demo-twin", maxUnconfirmed: 1 });
    const [failing, other] = ["a", "b"].map((name) => `demo-twin-${name}`);
    polling.node.input({ payload: "first" });
    await until(() => sentOf(any).length === 2);
    polling.service.fault({
      path: /telemetry$/,
      fits: ({ query }) => query["systemId"] === failing,
      status: 404,
      times: 9,
    });
    polling.at(5);
    await confirmEach(6 + 7, any);
    const caught = await polling.node.caught<{ systemId: string }>();
    assert.deepEqual([caught.energy.error.statusCode, caught.systemId], [404, failing]);
    assert.ok(polling.node.statuses().includes("id not found"));
    assert.equal(sentOf(({ systemId }) => systemId === other).length, 7);
    assert.equal(polling.node.caughtSoFar().length, 1);
  });

  it("reports each of two systems that fail when they go on after confirmations", async () => {
    await polling.start({ siteId: "demo-twin", maxUnconfirmed: 1, startHours: 0.2 });
    polling.node.input({ payload: "first" });
    await until(() => sentOf(any).length === 2);
    polling.service.fault({ path: /telemetry$/, status: 404, times: 9 });
    polling.at(5);
    await confirmEach(4, any);
    const systems: string[] = [];
    while (systems.length < 2) systems.push((await polling.node.caught<{ systemId: string }>()).systemId);
    assert.deepEqual(systems.toSorted(), ["demo-twin-a", "demo-twin-b"]);
    assert.deepEqual(done(), []);
  });

  it("sends a record again as catchup once it is no longer fresh", async () => {
    await polling.start({ siteId: "demo-house", startHours: 0.1, confirmTimeout: 5 * 60, maxAge: 15 });
    await polling.poll();
    const [first] = polling.sent();
    for (let minutes = 0; minutes < 20; minutes += 5) await polling.advance(5 * 60);
    // Two minutes old when first sent.
    assert.deepEqual(
      polling.sent().map(({ energy }) => [energy.recordId, energy.phase]),
      ["live", "live", "live", "catchup", "catchup"].map((phase) => [first?.energy.recordId, phase]),
    );
  });
});
