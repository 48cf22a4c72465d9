// Tests that every record becomes one point in a real InfluxDB, even if the database is killed or records are rewritten.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { TelemetryRecord } from "../../src/models/telemetry";
import { MINUTE } from "../../src/time-units";
import { accountNode, deliveryTab } from "../support/delivery-flow";
import { eventually } from "../support/eventually";
import { readExample } from "../support/examples";
import { type ServiceRecords, startServiceWithRecords } from "../support/service-records";
import { DATABASE, InfluxDb, type Row } from "./influxdb";
import { influxdb, needed } from "../support/requirements";
import { type FlowNode, NODE_RED, type Runtime, startRuntime, withNodesOf } from "../support/runtime";

const HOURS = 72;

const points: FlowNode = { id: "points", type: "energy-points", target: "influxdb", measurement: "energy" };
const influxBatch: FlowNode = { id: "batch", type: "influxdb batch", influxdb: "database", precision: "" };

function databaseNode(port: number): FlowNode {
  return {
    id: "database",
    type: "influxdb",
    hostname: "127.0.0.1",
    port: String(port),
    database: DATABASE,
    influxdbVersion: "1.x",
    usetls: false,
    credentials: {},
  };
}

describe(`a catch-up of ${HOURS} hours to InfluxDB`, function () {
  this.timeout(120_000);
  let expected: ServiceRecords;
  let database: InfluxDb;
  let runtime: Runtime;

  before(async function () {
    const program = needed(influxdb, this);
    expected = await startServiceWithRecords(HOURS);
    database = await InfluxDb.open(program);
    runtime = await startRuntime(NODE_RED, {}, undefined, withNodesOf("node-red-contrib-influxdb"));
  });
  after(async () => {
    await runtime?.stop();
    await database?.daemon.stop();
    await expected?.service.close();
  });

  /** Adds a new tab, whose poll starts from the beginning. */
  const catchUp = (tab: string): Promise<void> => {
    const options = { mode: "confirmed", hours: expected.startHours } as const;
    const flow = deliveryTab(tab, options, [points], influxBatch);
    return runtime.deploy([
      accountNode(expected.service.baseUrl),
      databaseNode(database.daemon.port),
      ...flow,
    ]);
  };
  const pointsArrive = (tab: string, points: number): Promise<unknown> =>
    eventually(
      () => `the catch-up of ${tab} does not end:\n${runtime.output().slice(-2000)}`,
      async () => (await database.pointsWritten()) >= points || undefined,
      60_000,
    );
  const rows = (): Promise<Row[]> =>
    database.query("SELECT consumption_energy FROM energy GROUP BY siteId, systemId");

  it("stores every record once, even if the database is killed", async () => {
    await catchUp("first");
    await pointsArrive("first", 500);
    const written = await database.pointsWritten();
    assert.ok(written < expected.required.length, "the catch-up was over before the database was killed");
    await database.daemon.kill();
    await pause(2000);
    await database.daemon.start();

    const found = async (): Promise<Set<string>> => new Set((await rows()).map(rowText));
    const required = expected.required.map((id) => recordText(id, expected.all.get(id)));
    let there = await found();
    await eventually(
      () =>
        `${required.filter((text) => !there.has(text)).length} records are missing:\n${runtime.output().slice(-2000)}`,
      async () => {
        there = await found();
        return required.every((text) => there.has(text)) || undefined;
      },
      60_000,
    );
    const held = new Set([...expected.all].map(([id, record]) => recordText(id, record)));
    assert.deepEqual(
      (await rows()).map(rowText).filter((text) => !held.has(text)),
      [],
    );
    assert.equal((await rows()).length, there.size);
  });

  it("returns the same sums as the service", async () => {
    const ends = expected.required.map((id) => expected.all.get(id)?.endTime ?? "");
    const first = ends.reduce((earliest, end) => (end < earliest ? end : earliest));
    const query = `SELECT count(consumption_energy), sum(consumption_energy) FROM energy WHERE time >= '${first}'`;
    const [answer] = await database.query(query);
    const energies = expected.required.map((id) => energyOf(expected.all.get(id)));
    const sum = energies.reduce((total, energy) => total + energy, 0);
    assert.equal(answer?.["count"], energies.length);
    assert.ok(
      Math.abs(Number(answer?.["sum"]) - sum) < 0.001,
      `${String(answer?.["sum"])} instead of ${sum}`,
    );
  });

  it("does not change the data when everything is written again", async () => {
    const before = await rows();
    const written = await database.pointsWritten();
    await catchUp("again");
    await pointsArrive("again", written + expected.required.length);
    assert.deepEqual(await rows(), before);
  });

  it("stores the records of the example", async () => {
    const flow = readExample("10-influxdb.json").map((node) => {
      if (node.type === "influxdb")
        return { ...node, port: String(database.daemon.port), database: DATABASE };
      return node.type === "energy-points" ? { ...node, measurement: "example" } : node;
    });
    await runtime.deploy(flow);
    await runtime.inject("influxdb-now");
    await eventually(
      () => `the example writes nothing:\n${runtime.output().slice(-2000)}`,
      async () => {
        const [answer] = await database.query("SELECT count(storage_stateOfCharge) FROM example");
        return Number(answer?.["count"]) >= 24 * 12 - 1 || undefined;
      },
    );
    const [newest] = await database.query("SELECT last(storage_stateOfCharge) FROM example");
    assert.ok(
      Date.now() - Number(newest?.["time"]) < 15 * MINUTE,
      "the points must have the times of their records",
    );
  });
});

function energyOf(record: TelemetryRecord | undefined): number {
  return record?.consumption?.energy ?? Number.NaN;
}

/** What the database must contain for a record. */
function recordText(recordId: string, record: TelemetryRecord | undefined): string {
  const [siteId, systemId] = recordId.split("/");
  const time = Date.parse(record?.endTime ?? "");
  return text({ siteId, systemId, time, consumption_energy: energyOf(record) });
}

function rowText({ siteId, systemId, time, consumption_energy }: Row): string {
  return text({ siteId, systemId, time, consumption_energy });
}

function text(values: Row): string {
  return JSON.stringify(values);
}
