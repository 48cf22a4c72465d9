// Tests for rgm read: records of the revenue-grade meter, and whether there is a meter.
import assert from "node:assert/strict";
import type sinon from "sinon";
import type { RgmMessage } from "../../../src/messages/messages";
import type { RgmRecord } from "../../../src/models/telemetry";
import { DAY, HOUR, MINUTE } from "../../../src/time-units";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { usePassingTime } from "../../support/passing-time";
import type { ReceivedRequest } from "../../support/request-log";
import { startService, type TestService } from "../../support/service";

const NOW = Date.UTC(2026, 5, 10, 10, 7);

describe("rgm read", () => {
  let clock: sinon.SinonFakeTimers;
  let service: TestService;
  let node: NodeUnderTest;

  beforeEach(async () => {
    clock = usePassingTime(NOW);
    service = await startService();
  });
  afterEach(async () => {
    await node.stop();
    await service.close();
    clock.restore();
  });

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    const account = { baseUrl: service.baseUrl };
    node = await startNode(
      "energy-rgm-read",
      { siteId: "demo-farm", mode: "latest", ...properties },
      { account },
    );
  };
  const ask = async (message: Record<string, unknown> = {}): Promise<RgmMessage> => {
    node.input(message);
    return await node.output<RgmMessage>();
  };
  const rejection = async (
    message: Record<string, unknown> = {},
  ): Promise<{ code: string; message: string }> => {
    node.input(message);
    const { error, energy } = await node.caught();
    assert.equal(node.sent().length, 0);
    return { code: energy.error.code, message: error.message };
  };

  it("does not know whether there is a meter if the service refuses the details of a site without records", async () => {
    await start();
    await ask();
    service.hideRecords(() => true);
    service.fault({ path: /sites\/demo-farm$/, status: 403, times: Infinity });
    const { payload, energy } = await ask();
    assert.deepEqual([payload, "hasRgm" in energy], [null, false]);
  });

  it("sends the latest record, and requests PC1 even if the account does not", async () => {
    await start();
    const { payload, energy, topic } = await ask();
    const record = payload as RgmRecord;
    assert.equal(Date.parse(record.endTime), NOW - 2 * MINUTE);
    assert.equal(typeof record.rgm?.energy, "number");
    const { startTime, endTime } = record;
    assert.deepEqual(energy, {
      kind: "rgm",
      hasRgm: true,
      siteName: "Demo farm",
      startTime,
      endTime,
      ageSeconds: 120,
      validUntil: new Date(NOW + 15 * MINUTE).toISOString(),
    });
    assert.equal(topic, "demo-farm/demo-farm-1");
    assert.equal(service.requestsTo(/rgm/)[0]?.headers["vendorapi-version"], "2026-01-01.preview");
  });

  it("shows the age of an old record", async () => {
    service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > NOW - 20 * HOUR);
    await start();
    const { energy } = await ask();
    assert.equal((energy as { ageSeconds?: number }).ageSeconds, (20 * HOUR + 2 * MINUTE) / 1000);
    assert.equal(node.statuses().at(-1), "stale: 1202 min");
  });

  it("does not say whether there is a meter while the service lists no devices", async () => {
    service.hideRecords(() => true);
    service.fault({ path: /sites\/demo-farm$/, body: { siteId: "demo-farm", systems: [{ systemId: "a" }] } });
    await start();
    assert.deepEqual((await ask()).energy, { kind: "rgm", siteName: "Demo farm" });
  });

  for (const systemId of ["*", ""])
    it(`requests with * only systems that can have a meter, and "${systemId}" as system`, async () => {
      await start({ siteId: "*", systemId });
      node.input({});
      await node.completed();
      const requested = service.requestsTo(/rgm-telemetry$/).map(({ query }) => query["systemId"]);
      const unmetered = ["demo-balcony-1", "demo-cabin-1", "demo-twin-b"];
      assert.deepEqual(
        [...new Set(requested)].toSorted(),
        ["demo-farm-1", "demo-twin-a", ...unmetered].toSorted(),
      );
    });

  it("asks with * only systems that can have a meter where the list shows none", async () => {
    const sites = ["demo-house", "demo-farm", "demo-twin"].map((siteId) => ({ siteId }));
    service.fault({ path: /v1\/sites$/, body: { sites } });
    await start({ siteId: "*", systemId: "*" });
    node.input({});
    await node.completed();
    const asked = service.requestsTo(/rgm-telemetry$/).map(({ query }) => query["systemId"]);
    assert.deepEqual([...new Set(asked)].toSorted(), ["demo-farm-1", "demo-twin-a", "demo-twin-b"]);
  });

  it("knows of a meter by its records, whatever the details of the site show", async () => {
    service.fault({ path: /sites\/demo-farm$/, body: { siteId: "demo-farm", systems: [] }, times: Infinity });
    await start({ systemId: "demo-farm-1" });
    assert.equal((await ask()).energy.hasRgm, true);
  });

  it("shows how many of the systems with a meter have a fresh record", async () => {
    service.hideRecords(
      (site, _system, { endTime }) => site === "demo-twin" && Date.parse(endTime) > NOW - HOUR,
    );
    await start({ siteId: "*", systemId: "*" });
    node.input({});
    await node.completed();
    assert.equal(node.statuses().at(-1), "1 of 2 fresh");
  });

  it("shows that no system of a site can have a meter", async () => {
    await start({ siteId: "demo-house", systemId: "*" });
    node.input({});
    await node.completed();
    assert.equal(service.requestsTo(/rgm/).length, 0);
    assert.equal(node.statuses().at(-1), "no meter");
  });

  it("distinguishes a meter without a record from no meter", async () => {
    service.hideRecords(() => true);
    await start({ siteId: "" });
    const silent = await ask({ siteId: "demo-farm" });
    assert.deepEqual([silent.payload, silent.energy.hasRgm], [null, true]);
    assert.equal(node.statuses().at(-1), "no record");
    const unmetered = await ask({ siteId: "demo-house" });
    assert.deepEqual([unmetered.payload, unmetered.energy.hasRgm], [null, false]);
    assert.equal(node.statuses().at(-1), "no meter");
  });

  it("looks for the meter in the selected system", async () => {
    await start({ siteId: "demo-twin", systemId: "demo-twin-b" });
    const { payload, energy, topic, systemId } = await ask();
    assert.deepEqual([payload, energy.hasRgm], [null, false]);
    assert.deepEqual([topic, systemId], ["demo-twin/demo-twin-b", "demo-twin-b"]);
  });

  it("names the systems to choose from", async () => {
    await start({ siteId: "demo-twin" });
    const error = await rejection();
    assert.equal(error.code, "ENERGY_SYSTEM_REQUIRED");
    assert.match(error.message, /demo-twin-a, demo-twin-b/);
  });

  it("also names them if the service responds but the site has several systems", async () => {
    service.fault({ path: /rgm/, body: { data: [] } });
    await start({ siteId: "demo-twin" });
    assert.equal((await rejection()).code, "ENERGY_SYSTEM_REQUIRED");
  });

  it("sends the records of a range, split at 24 hours, each once", async () => {
    await start({ mode: "range" });
    const range = { startTime: "2026-06-07T00:02:30Z", endTime: "2026-06-09T12:00:00Z" };
    const { payload, energy, ...rest } = await ask(range);
    const records = payload as RgmRecord[];
    // The next node must not take the range for its own.
    assert.ok(!("startTime" in rest) && !("endTime" in rest));
    const starts = records.map(({ startTime }) => Date.parse(startTime));
    assert.equal(service.requestsTo(/rgm/).length, 3);
    assert.equal(starts[0], Date.UTC(2026, 5, 7));
    assert.equal(starts.length, (60 * HOUR) / (5 * MINUTE));
    starts.slice(1).forEach((time, index) => assert.equal(time - (starts[index] ?? 0), 5 * MINUTE));
    assert.deepEqual(energy, { kind: "rgm", hasRgm: true, siteName: "Demo farm" });
  });

  it("omits records that have not ended from a range", async () => {
    const record = (start: string, end: string) => ({
      startTime: `2026-06-10T${start}:00Z`,
      endTime: `2026-06-10T${end}:00Z`,
      rgm: { energy: 1 },
    });
    service.fault({
      path: /rgm/,
      body: { data: [record("10:00", "10:05"), record("10:05", "10:10")] },
    });
    await start({ mode: "range" });
    const { payload } = await ask({ startTime: "2026-06-10T09:00:00Z", endTime: "2026-06-10T11:00:00Z" });
    assert.equal((payload as RgmRecord[]).at(-1)?.endTime, "2026-06-10T10:05:00Z");
  });

  it("reports that the records of a range that has just ended may still arrive", async () => {
    service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > NOW - 20 * MINUTE);
    await start({ mode: "range" });
    const [startTime, endTime] = [NOW - HOUR, NOW - 5 * MINUTE].map((time) => new Date(time).toISOString());
    await ask({ startTime, endTime });
    assert.match(node.statuses().at(-1) ?? "", /may still arrive/);
  });

  it("sends what can be read of a range of which an hour fails, and reports that hour", async () => {
    const [from, to] = [Date.UTC(2026, 5, 7, 10), Date.UTC(2026, 5, 7, 11)];
    const overlaps = ({ query }: ReceivedRequest): boolean =>
      Date.parse(query["startTime"] ?? "") < to && Date.parse(query["endTime"] ?? "") > from;
    service.fault({ path: /rgm-telemetry$/, status: 400, times: Infinity, fits: overlaps });
    await start({ mode: "range" });
    const { payload } = await ask({ startTime: "2026-06-07T00:00:00Z", endTime: "2026-06-08T00:00:00Z" });
    const starts = (payload as RgmRecord[]).map(({ startTime }) => Date.parse(startTime));
    assert.deepEqual(
      starts.filter((time) => time >= from && time < to),
      [],
    );
    assert.equal(starts.length, 23 * 12);
    assert.match(node.statuses().at(-1) ?? "", /^skipped: /);
  });

  it("sends an empty list for a range of a system without a meter", async () => {
    await start({ mode: "range", siteId: "demo-house" });
    const { payload, energy } = await ask({
      startTime: "2026-06-07T00:00:00Z",
      endTime: "2026-06-07T01:00:00Z",
    });
    assert.deepEqual([payload, energy.hasRgm], [[], false]);
  });

  it("reads a range only on a message, never on a schedule", async () => {
    clock.restore();
    clock = usePassingTime(NOW, ["setTimeout", "clearTimeout"]);
    await start({ mode: "range", onDeploy: true, repeat: 5 });
    await clock.tickAsync(HOUR);
    await service.idle();
    assert.deepEqual([node.caughtSoFar(), node.sent(), node.statuses()], [[], [], []]);
  });

  it("reads a range that a clock takes for the future that is two days behind at the start", async () => {
    await service.close();
    service = await startService({ now: () => Date.now() + 2 * DAY });
    await start({ mode: "range" });
    const { payload } = await ask({ startTime: "2026-06-11T00:00:00Z", endTime: "2026-06-11T01:00:00Z" });
    assert.equal((payload as RgmRecord[]).length, 12);
  });

  for (const [name, range, code] of [
    ["no times", {}, "ENERGY_INPUT"],
    ["no end", { startTime: "2026-06-07T00:00:00Z" }, "ENERGY_INPUT"],
    [
      "a time without an offset",
      { startTime: "2026-06-07T00:00:00", endTime: "2026-06-08T00:00:00Z" },
      "ENERGY_INPUT",
    ],
    [
      "an invalid date",
      { startTime: "2026-02-30T00:00:00Z", endTime: "2026-06-08T00:00:00Z" },
      "ENERGY_INPUT",
    ],
    ["a number", { startTime: 1, endTime: 2 }, "ENERGY_INPUT"],
    [
      "an end before the start",
      { startTime: "2026-06-08T00:00:00Z", endTime: "2026-06-07T00:00:00Z" },
      "ENERGY_RANGE",
    ],
    [
      "an end at the start",
      { startTime: "2026-06-08T00:00:00Z", endTime: "2026-06-08T00:00:00Z" },
      "ENERGY_RANGE",
    ],
    [
      "a start in the future",
      { startTime: "2026-06-11T00:00:00Z", endTime: "2026-06-12T00:00:00Z" },
      "ENERGY_RANGE",
    ],
  ] as const) {
    it(`rejects a range with ${name} (${code})`, async () => {
      await start({ mode: "range" });
      assert.equal((await rejection(range)).code, code);
      assert.equal(service.requestsTo(/telemetry/).length, 0);
    });
  }

  it("rejects a range of more than 400 requests before the first of them, and advises history", async () => {
    await start({ mode: "range" });
    const { code, message } = await rejection({
      startTime: "2024-06-01T00:00:00Z",
      endTime: "2026-06-01T00:00:00Z",
    });
    assert.equal(code, "ENERGY_RANGE");
    assert.match(message, /400 requests.*history/);
    assert.equal(service.requestsTo(/telemetry/).length, 0);
  });

  it("reads nothing in a mode that does not exist", async () => {
    await start({ mode: "newest" });
    assert.equal((await rejection()).code, "ENERGY_CONFIG");
    assert.equal(service.requestsTo(/telemetry/).length, 0);
  });

  it("rejects a range if set to read the latest record", async () => {
    await start();
    assert.equal((await rejection({ startTime: "2026-06-07T00:00:00Z" })).code, "ENERGY_INPUT");
  });

  it("sends every new record once and in order, across restarts and outages", async () => {
    await start({ mode: "new" });
    const first = await ask();
    await node.completed();
    assert.equal(first.energy.hasRgm, true);
    assert.ok("recordId" in first.energy);
    assert.match(first.energy.recordId, /^demo-farm\/demo-farm-1\/rgm\//);
    clock.setSystemTime(NOW + 26 * HOUR);
    await node.redeploy();
    node.input({});
    await node.completed();
    const ends = node.sent().map(({ payload }) => Date.parse((payload as RgmRecord).endTime));
    assert.equal(ends.length, 1 + 26 * 12);
    ends.slice(1).forEach((end, index) => assert.equal(end - (ends[index] ?? 0), 5 * MINUTE));
    assert.equal(node.sent(2).length, 0);
  });

  for (const [siteId, systemId] of [
    ["demo-cabin", ""],
    ["demo-house", ""],
    ["demo-house", "*"],
  ])
    it(`says that there is no meter where it polls none, and gives up nothing: ${siteId} ${systemId}`, async () => {
      await start({ siteId, systemId, mode: "new", gapHours: 24 });
      for (let hours = 0; hours < 72; hours += 12) {
        clock.setSystemTime(NOW + hours * HOUR);
        node.input({});
        await node.completed();
      }
      assert.deepEqual([...new Set(node.statuses())], ["reading", "no meter"]);
      assert.ok(service.requestsTo(/v1\/sites\/[^/]+$/).length <= 1);
    });

  it("looks once for the meter of a series that has no records", async () => {
    await start({ mode: "new" });
    service.hideRecords(() => true);
    for (let run = 0; run < 3; run += 1) {
      node.input({});
      await node.completed();
    }
    assert.equal(service.requestsTo(/v1\/sites\/[^/]+$/).length, 1);
  });

  it("counts only meters where it polls several systems", async () => {
    await start({ siteId: "*", mode: "new" });
    await ask();
    await node.completed();
    assert.equal(node.statuses().at(-1), "2 of 2 fresh");
  });
});
