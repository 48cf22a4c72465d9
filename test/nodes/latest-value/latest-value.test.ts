// Tests for latest value: a value that is safe to act on, or the reason why there is none; never a stale or invented value.
import assert from "node:assert/strict";
import type sinon from "sinon";
import type { LatestValueMessage } from "../../../src/messages/messages";
import type { TelemetryRecord } from "../../../src/models/telemetry";
import { HOUR, MINUTE } from "../../../src/time-units";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { startService, type TestService } from "../../support/service";
import { usePassingTime } from "../../support/passing-time";

/** Two minutes after the newest record ended. */
const NOW = Date.UTC(2026, 5, 10, 10, 7);

const localTime = (time: number): string => new Date(time).toTimeString().slice(0, 5);

describe("latest value", () => {
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
    const account = { baseUrl: service.baseUrl, apiVersion: "2026-01-01.preview" };
    node = await startNode("energy-latest-value", { siteId: "demo-house", ...properties }, { account });
  };
  const ask = async (port = 1, message: Record<string, unknown> = {}): Promise<LatestValueMessage> => {
    node.input(message);
    return await node.output<LatestValueMessage>(port);
  };
  const change = (change: (record: TelemetryRecord) => object): void =>
    service.changeRecords((_site, _system, record) => ({
      ...record,
      ...change(record),
    }));

  it("derives the surplus of solar, and says that there is no value where the record does not have it", async () => {
    await start({ path: "derived.surplus" });
    change(() => ({ solar: { power: 3000 }, consumption: { power: 800 }, storage: { power: -1000 } }));
    const { payload, energy } = await ask();
    assert.deepEqual([payload, energy.path], [1200, "derived.surplus"]);
    change(() => ({ solar: null }));
    assert.equal((await ask(2)).energy.reason, "no-value");
  });

  it("sends one value of the newest record, with the record and its age", async () => {
    await start({ path: "storage.stateOfCharge" });
    const { payload, energy, topic, siteId } = await ask();
    assert.equal(typeof payload, "number");
    assert.equal(energy.record?.storage?.stateOfCharge, payload);
    assert.equal(energy.ageSeconds, 120);
    assert.equal(Date.parse(energy.endTime ?? ""), NOW - 2 * MINUTE);
    assert.equal(energy.path, "storage.stateOfCharge");
    assert.equal("reason" in energy, false);
    assert.deepEqual([topic, siteId], ["demo-house/demo-house-1", "demo-house"]);
    assert.equal(node.sent(2).length, 0);
    assert.equal(node.statuses().at(-1), `${Math.round(Number(payload))} % · ${localTime(NOW - 2 * MINUTE)}`);
  });

  it("requests 15 minutes either side of now", async () => {
    await start();
    await ask();
    const { startTime = "", endTime = "" } = service.requestsTo(/telemetry/)[0]?.query ?? {};
    // The time of the runtime passes while the test runs.
    assert.ok(Math.abs(Date.parse(startTime) - (NOW - 15 * MINUTE)) < 1000);
    assert.equal(Date.parse(endTime) - Date.parse(startTime), 30 * MINUTE);
  });

  it("sends the whole record, including unknown fields, if no path is set", async () => {
    change(() => ({ novelty: { deep: true } }));
    await start();
    const { payload, energy } = await ask();
    assert.deepEqual((payload as TelemetryRecord).novelty, { deep: true });
    assert.deepEqual(payload, energy.record);
    assert.notEqual(payload, energy.record);
  });

  it("sends a group as its own object, separate from the record", async () => {
    await start({ path: "grid" });
    const { payload, energy } = await ask();
    assert.deepEqual(payload, energy.record?.grid);
    assert.notEqual(payload, energy.record?.grid);
  });

  it("reads any path of the record, 0 included", async () => {
    change(() => ({ extra: { list: [{ value: 0 }] } }));
    await start({ path: "extra.list[0].value" });
    assert.equal((await ask()).payload, 0);
  });

  for (const [name, path, changed] of [
    ["null", "storage.stateOfCharge", { storage: { stateOfCharge: null } }],
    ["in a group that is null", "storage.stateOfCharge", { storage: null }],
    ["absent", "storage.notThere", {}],
    ["in a group that is absent", "nowhere.at.all", {}],
  ] as const) {
    it(`reports no-value when the value is ${name}`, async () => {
      change(() => changed);
      await start({ path });
      const { payload, energy } = await ask(2);
      assert.equal(payload, null);
      assert.equal(energy.reason, "no-value");
      assert.ok(energy.record);
      assert.equal(node.sent(1).length, 0);
    });
  }

  for (const [path, changed] of [
    ["storage.stateOfCharge", { storage: { stateOfCharge: 255 } }],
    ["storage.stateOfCharge", { storage: { stateOfCharge: -1 } }],
    ["storage.stateOfCharge", { storage: { stateOfCharge: "255" } }],
    ['storage["stateOfCharge"]', { storage: { stateOfCharge: 100.5 } }],
    ["storage['minimumReserve']", { storage: { minimumReserve: 255 } }],
    ["batteries[1].stateOfHealth", { batteries: [{}, { stateOfHealth: 101 }] }],
    ["batteries.stateOfCharge[0]", { batteries: { stateOfCharge: [255] } }],
    ["stateOfCharge", { stateOfCharge: 255 }],
  ] as const) {
    it(`reports implausible for ${path} in ${JSON.stringify(changed)}, with the record and its age`, async () => {
      change(() => changed);
      await start({ path });
      const { payload, energy } = await ask(2);
      assert.deepEqual([payload, energy.reason, energy.ageSeconds], [null, "implausible", 120]);
      assert.ok(energy.record && energy.startTime && energy.endTime);
      assert.equal(node.sent(1).length, 0);
      await node.completed();
      assert.equal(node.statuses().at(-1), "implausible value");
    });
  }

  for (const charge of [0, 100]) {
    it(`sends a state of charge of ${charge}`, async () => {
      change(() => ({ storage: { stateOfCharge: charge } }));
      await start({ path: "storage.stateOfCharge" });
      assert.equal((await ask()).payload, charge);
    });
  }

  it("sends a group or a record as it is, whatever percentages are in it", async () => {
    change(() => ({ storage: { stateOfCharge: 255 } }));
    await start({ path: "storage" });
    assert.deepEqual((await ask()).payload, { stateOfCharge: 255 });
    await node.redeploy({ path: "" });
    assert.deepEqual((await ask()).payload, node.sent<LatestValueMessage>()[1]?.energy.record);
  });

  for (const path of ["grid.power", "storage.stateOfCharge"]) {
    it(`reports no-value if ${path} is a number that is too large to be one`, async () => {
      const [startTime, endTime] = [NOW - 7 * MINUTE, NOW - 2 * MINUTE].map((time) =>
        new Date(time).toISOString(),
      );
      const record = JSON.stringify({
        startTime,
        endTime,
        grid: { power: 0 },
        storage: { stateOfCharge: 0 },
      });
      service.fault({ path: /telemetry/, body: `{"data":[${record.replaceAll(":0}", ":1e999}")}]}` });
      await start({ path });
      assert.equal((await ask(2)).energy.reason, "no-value");
      assert.equal(node.sent(1).length, 0);
    });
  }

  it("reports no-record when the window is empty", async () => {
    service.hideRecords(() => true);
    await start();
    const { payload, energy } = await ask(2);
    assert.deepEqual(
      [payload, energy],
      [null, { kind: "latest-value", path: "", reason: "no-record", siteName: "Demo house" }],
    );
  });

  it("reports stale when the record is older than maxAge, with the record and its age", async () => {
    service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > NOW - 10 * MINUTE);
    await start({ maxAge: 10, path: "storage.stateOfCharge" });
    const { payload, energy } = await ask(2);
    assert.equal(payload, null);
    assert.equal(energy.reason, "stale");
    assert.equal(energy.ageSeconds, 12 * 60);
    assert.ok(energy.record);
    assert.equal(node.statuses().at(-1), "stale: 12 min");
  });

  it("accepts an older record if maxAge allows it", async () => {
    service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > NOW - 30 * MINUTE);
    await start({ maxAge: 40 });
    assert.equal((await ask()).energy.ageSeconds, 32 * 60);
  });

  it("shows the end of the record in its status", async () => {
    change(() => ({ storage: { stateOfCharge: 57.5 } }));
    service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > NOW - 10 * MINUTE);
    await start({ maxAge: 24, path: "storage.stateOfCharge" });
    await ask();
    await node.completed();
    assert.equal(node.statuses().at(-1), `58 % · ${localTime(NOW - 12 * MINUTE)}`);
  });

  it("shows the end of a record without an offset as UTC, in its own time zone", async () => {
    const times = { startTime: "2026-06-10T10:00:00", endTime: "2026-06-10T10:05:00" };
    service.fault({ path: /telemetry/, body: { data: [{ ...times, storage: { stateOfCharge: 57.5 } }] } });
    const zone = process.env["TZ"];
    process.env["TZ"] = "Asia/Tokyo";
    try {
      await start({ path: "storage.stateOfCharge" });
      await ask();
      await node.completed();
      assert.equal(node.statuses().at(-1), "58 % · 19:05");
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  /** Lets the service have these records, with a power that is their number. */
  const serve = (...minutes: [start: number, end: number][]): void => {
    const timeAt = (minute: number): string => new Date(NOW + minute * MINUTE).toISOString();
    const data = minutes.map(([start, end], power) => ({
      startTime: timeAt(start),
      endTime: timeAt(end),
      grid: { power },
    }));
    // Whatever the window.
    service.fault({ path: /telemetry/, body: { data }, times: 2 });
  };

  it("counts the age of a record that is in progress from its start", async () => {
    await start({ path: "grid.power", maxAge: 10 });
    serve([-9, 6]);
    const { payload, energy } = await ask();
    assert.deepEqual([payload, energy.ageSeconds], [0, 9 * 60]);
    serve([-11, 4]);
    assert.equal((await ask(2)).energy.reason, "stale");
  });

  it("never sends a record that begins in the future", async () => {
    await start({ path: "grid.power" });
    serve([-7, -2], [1, 6]);
    assert.equal((await ask()).payload, 0);
    serve([1, 6]);
    assert.equal((await ask(2)).energy.reason, "no-record");
  });

  it("finds a record of the last 24 hours, and looks no further back", async () => {
    let hours = 23;
    service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > NOW - hours * HOUR);
    await start({ maxAge: 72 * 60 });
    assert.equal((await ask()).energy.ageSeconds, 23 * 3600 + 2 * 60);
    // A third one shows that the answer was not cut; from then on the record is known to be the newest.
    assert.equal(service.requestsTo(/telemetry/).length, 3);
    await ask();
    assert.equal(service.requestsTo(/telemetry/).length, 3 + 2);
    hours = 25;
    assert.equal((await ask(2)).energy.reason, "no-record");
  });

  for (const path of ["inverter", "inverter.power", 'inverter["power"]'])
    it(`requests the inverter for ${path}`, async () => {
      await start({ siteId: "demo-farm", path });
      const { energy } = await ask();
      assert.notEqual(energy.record?.inverter, undefined);
    });

  it("requests no inverter for other values", async () => {
    await start({ siteId: "demo-farm", path: "grid.power" });
    assert.equal("inverter" in ((await ask()).energy.record ?? {}), false);
  });

  it("finds no value for a field that the record does not have, whatever its name", async () => {
    await start({ path: "constructor" });
    assert.equal((await ask(2)).energy.reason, "no-value");
  });

  it("sends a value for every site with *", async () => {
    await start({ siteId: "*", systemId: "*", path: "grid.power" });
    node.input({});
    await node.completed();
    const topics = node.sent(1).map(({ topic }) => topic);
    assert.deepEqual(topics.toSorted(), [
      "demo-balcony/demo-balcony-1",
      "demo-cabin/demo-cabin-1",
      "demo-farm/demo-farm-1",
      "demo-house/demo-house-1",
      "demo-twin/demo-twin-a",
      "demo-twin/demo-twin-b",
    ]);
  });

  it("keeps other properties of the message, and responds to each message on one output", async () => {
    await start({ path: "grid.power" });
    const message = await ask(1, { parts: { id: "a", index: 0, count: 1 }, deep: { kept: [1] } });
    const { parts, deep } = message as unknown as { parts: object; deep: object };
    assert.deepEqual([parts, deep], [{ id: "a", index: 0, count: 1 }, { kept: [1] }]);
    await ask(1);
    assert.equal(node.sent(1).length + node.sent(2).length, 2);
  });
});
