// Promises of telemetry poll: every record once, in order, none missed, and a place that survives restarts.
import assert from "node:assert/strict";
import { readdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TelemetryEnergy } from "../../src/messages";
import type { TelemetryRecord } from "../../src/models/telemetry";
import { HOUR, MINUTE } from "../../src/records/window";
import type { NodeUnderTest } from "../support/flow";
import { endsOf, expectedEnds, NOW, Polling, times } from "../support/polling";
import type { TestService } from "../support/service";

describe("telemetry poll", () => {
  let polling: Polling;
  let service: TestService;
  let userDir: string;
  let node: NodeUnderTest;

  beforeEach(async () => {
    polling = await Polling.open("energy-telemetry-poll", { siteId: "demo-house" });
    ({ service, userDir } = polling);
  });
  afterEach(() => polling.close());

  const start = async (properties: Record<string, unknown> = {}): Promise<void> => {
    node = await polling.start(properties);
  };
  const restart = async (properties: Record<string, unknown> = {}): Promise<void> => {
    node = await polling.restart(properties);
  };
  const poll = (message: Record<string, unknown> = {}): Promise<void> => polling.poll(message);
  const sent = (port = 1): ReturnType<Polling["sent"]> => polling.sent(port);
  const queries = (): Record<string, string>[] => polling.queries();

  /** Behind by more than a day, a poll asks for the latest window first, then for the first and the second that it owes. */
  const failSecondWindow = async (): Promise<void> => {
    const latest = service.hold(/telemetry/);
    await latest.arrived(1);
    const first = service.hold(/telemetry/);
    latest.release();
    await first.arrived(1);
    service.fault({ path: /telemetry/, status: 500 });
    first.release();
    await node.caught();
  };

  it("begins with the newest record, and goes on with every new one, once", async () => {
    await start();
    await poll();
    assert.deepEqual(endsOf(sent()), [Date.UTC(2026, 5, 10, 10, 5)]);
    polling.clock.setSystemTime(NOW + 20 * MINUTE);
    await poll();
    await poll();
    assert.deepEqual(endsOf(sent()), expectedEnds(NOW - 5 * MINUTE, NOW + 20 * MINUTE));
  });

  it("tells of each record its phase, id, times and cursor, and where it is from", async () => {
    await start();
    await poll({ other: "survives" });
    const [message] = sent();
    assert.ok(message);
    const { startTime, endTime } = message.payload;
    assert.deepEqual(message.energy, {
      kind: "telemetry",
      phase: "live",
      recordId: `demo-house//telemetry/${new Date(startTime).toISOString()}`,
      startTime,
      endTime,
      cursor: endTime,
      basis: { grid: "ac", solar: "ac", consumption: "ac", storage: "ac" },
    });
    assert.equal(message.topic, "demo-house");
    assert.equal(message.siteId, "demo-house");
    assert.equal("systemId" in message, false);
    assert.equal((message as unknown as { other: string }).other, "survives");
  });

  it("sends the newest record on output 2 while it is fresh, as an object of its own", async () => {
    await start({ startFrom: "hours", startHours: 1 });
    await poll();
    assert.equal(sent(1).length, 12);
    assert.equal(sent(2).length, 1);
    assert.deepEqual(sent(2)[0]?.payload, sent(1).at(-1)?.payload);
    assert.notEqual(sent(2)[0]?.payload, sent(1).at(-1)?.payload);
  });

  it("sends nothing on output 2 when the newest record is older than maxAge", async () => {
    service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > NOW - 20 * MINUTE);
    await start({ startFrom: "hours", startHours: 1 });
    await poll();
    assert.equal(sent(2).length, 0);
    assert.ok(sent(1).every(({ energy }) => energy.phase === "catchup"));
  });

  it("begins as many hours back as chosen, fractions included", async () => {
    await start({ startFrom: "hours", startHours: "1.5" });
    await poll();
    assert.deepEqual(endsOf(sent()), expectedEnds(NOW - 1.5 * HOUR, NOW));
  });

  it("catches up an outage of days in windows of at most 24 hours, every record once and in order", async () => {
    await start();
    await poll();
    const later = NOW + 75 * HOUR;
    polling.clock.setSystemTime(later);
    await restart();
    await poll();
    assert.deepEqual(endsOf(sent()), expectedEnds(NOW, later));
    const windows = new Map(queries().map(({ startTime = "", endTime = "" }) => [startTime, endTime]));
    // The first poll, the latest window, and the four that were owed.
    assert.equal(windows.size, 1 + 1 + 4);
    for (const [startTime, endTime] of windows)
      assert.ok(Date.parse(endTime) - Date.parse(startTime) <= 24 * HOUR);
    assert.equal(sent(1).at(-1)?.energy.phase, "live");
    assert.equal(sent(1)[0]?.energy.phase, "catchup");
  });

  it("goes on where it was after a restart", async () => {
    await start();
    await poll();
    const before = endsOf(sent());
    polling.clock.setSystemTime(NOW + 10 * MINUTE);
    await restart();
    await poll();
    assert.deepEqual([...before, ...endsOf(sent())], expectedEnds(NOW - 5 * MINUTE, NOW + 10 * MINUTE));
  });

  it("moves no cursor when a poll fails, and loses nothing", async () => {
    await start();
    await poll();
    polling.clock.setSystemTime(NOW + HOUR);
    service.fault({ path: /telemetry/, status: 500 });
    node.input({});
    const caught = await node.caught();
    assert.ok(caught.error);
    await poll();
    assert.deepEqual(endsOf(sent()), expectedEnds(NOW - 5 * MINUTE, NOW + HOUR));
  });

  it("keeps what was delivered of a catch-up that fails half-way, and goes on behind it", async () => {
    await start({ startFrom: "hours", startHours: 48 });
    node.input({});
    await failSecondWindow();
    // The window ends at 10:07, and the record from 10:05 to 10:10 lies over its edge.
    const cut = NOW - 24 * HOUR + 3 * MINUTE;
    assert.deepEqual(endsOf(sent()), expectedEnds(NOW - 48 * HOUR, cut));
    await restart();
    await poll();
    assert.deepEqual(endsOf(sent()), expectedEnds(cut, NOW));
  });

  it("sends nothing of a batch that fails half-way, and all of it the next time", async () => {
    await start({ startFrom: "hours", startHours: 48, output: "batch" });
    node.input({});
    await failSecondWindow();
    assert.equal(sent().length, 0);
    await poll();
    assert.equal(node.sent<{ payload: TelemetryRecord[] }>()[0]?.payload.length, 48 * 12);
  });

  it("sends all new records in one message in batch mode", async () => {
    await start({ output: "batch", startFrom: "hours", startHours: 30 });
    await poll();
    const messages = node.sent<{ payload: TelemetryRecord[]; energy: TelemetryEnergy }>();
    assert.equal(messages.length, 1);
    const [{ payload, energy }] = messages as [(typeof messages)[0]];
    assert.deepEqual(times(payload.map(({ endTime }) => endTime)), expectedEnds(NOW - 30 * HOUR, NOW));
    assert.ok("records" in energy);
    assert.equal(energy.records.length, payload.length);
    assert.equal(energy.cursor, payload.at(-1)?.endTime);
    assert.equal(energy.records[0]?.phase, "catchup");
  });

  it("sends no message when there is nothing new", async () => {
    await start({ output: "batch" });
    await poll();
    await poll();
    assert.equal(sent().length, 1);
  });

  it("delivers a record that is published late, when the service has it", async () => {
    await start();
    await poll();
    service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > NOW);
    polling.clock.setSystemTime(NOW + 3 * HOUR);
    await poll();
    assert.equal(sent().length, 1);
    service.hideRecords(undefined);
    await poll();
    assert.deepEqual(endsOf(sent()), expectedEnds(NOW - 5 * MINUTE, NOW + 3 * HOUR));
  });

  it("sends an unaligned record once when it is cut by the edge of a window", async () => {
    const shift = 2.5 * MINUTE;
    service.changeRecords((_site, _system, record) => ({
      ...record,
      startTime: new Date(Date.parse(record.startTime) + shift).toISOString(),
      endTime: new Date(Date.parse(record.endTime) + shift).toISOString(),
    }));
    await start({ startFrom: "hours", startHours: 30 });
    await poll();
    const ends = endsOf(sent());
    assert.equal(new Set(ends).size, ends.length);
    assert.deepEqual(
      ends,
      ends.toSorted((a, b) => a - b),
    );
  });

  it("reads every system of a site with *, each with its own messages and its own place", async () => {
    await start({ siteId: "demo-twin", systemId: "*" });
    await poll();
    assert.deepEqual(
      sent()
        .map(({ topic }) => topic)
        .toSorted(),
      ["demo-twin/demo-twin-a", "demo-twin/demo-twin-b"],
    );
    polling.clock.setSystemTime(NOW + 5 * MINUTE);
    await poll();
    assert.equal(sent().length, 4);
    assert.equal((await readdir(join(userDir, "energy-sites"))).length, 2);
  });

  it("reads a site with * whose systems name no id, and one that does not tell its systems", async () => {
    const nothing = { siteId: "demo-empty", systems: [] };
    const unnamed = { siteId: "demo-house", systems: [{ systemGeneration: "PC2" }] };
    service.fault({ path: /sites$/, body: { sites: [nothing, unnamed, { siteId: "demo-farm" }] } });
    await start({ siteId: "*", systemId: "*" });
    await poll();
    const topics = sent().map(({ topic }) => topic);
    assert.deepEqual(topics.toSorted(), ["demo-farm", "demo-house"]);
  });

  it("reads every site of the account with *, and tells which of them failed", async () => {
    await start({ siteId: "*" });
    node.input({});
    const caught = await node.caught<{ siteId: string }>();
    assert.equal(caught.siteId, "demo-twin");
    assert.equal(caught.energy.error.code, "ENERGY_SYSTEM_REQUIRED");
    assert.deepEqual(caught.energy.error.systemIds, ["demo-twin-a", "demo-twin-b"]);
    assert.deepEqual(
      sent()
        .map(({ siteId }) => siteId)
        .toSorted(),
      ["demo-balcony", "demo-cabin", "demo-farm", "demo-house"],
    );
  });

  it("names the systems to choose from when a site has several", async () => {
    await start({ siteId: "demo-twin" });
    node.input({ payload: 1 });
    const caught = await node.caught<{ payload: number }>();
    assert.match(caught.error.message, /demo-twin-a, demo-twin-b/);
    assert.equal(caught.error.code, "ENERGY_SYSTEM_REQUIRED");
    assert.equal(caught.payload, 1);
  });

  it("tells DC from AC where PC1 measures both, and asks for the site list once for it", async () => {
    await start({ siteId: "demo-farm", includeInverter: true, startFrom: "hours", startHours: 1 });
    await poll();
    await poll();
    const expected = { grid: "ac", solar: "dc", consumption: "ac", storage: "dc", inverter: "ac" };
    for (const { energy } of [...sent(1), ...sent(2)]) assert.deepEqual(energy.basis, expected);
    assert.equal(service.requestsTo(/sites$/).length, 1);
  });

  it("delivers records although nothing can be learned of their system", async () => {
    service.fault({ path: /sites$/, status: 500 });
    await start();
    await poll();
    assert.equal(sent().length, 1);
    assert.equal("basis" in (sent()[0]?.energy ?? {}), false);
  });

  it("asks for the inverter group only when told to", async () => {
    await start({ siteId: "demo-farm", includeInverter: true });
    await poll();
    assert.ok(sent()[0]?.payload.inverter);
    assert.equal(queries()[0]?.includeInverter, "true");
    await restart({ siteId: "demo-farm" });
    await poll({ later: true });
    assert.equal("includeInverter" in (queries().at(-1) ?? {}), false);
  });

  describe("without a store", () => {
    it("reads from msg.startTime to now", async () => {
      await start({ store: "none" });
      await poll({ startTime: "2026-06-10T11:00:00+02:00" });
      assert.deepEqual(endsOf(sent()), expectedEnds(Date.UTC(2026, 5, 10, 9), NOW));
      await poll({ startTime: "2026-06-10T11:00:00+02:00" });
      assert.equal(sent().length, 2 * 13);
      await assert.rejects(readdir(join(userDir, "energy-sites")));
    });

    for (const [startTime, code] of [
      ["yesterday", "ENERGY_INPUT"],
      ["2026-06-10T10:00:00", "ENERGY_INPUT"],
      [1_780_000_000_000, "ENERGY_INPUT"],
      ["2026-06-10T10:07:01Z", "ENERGY_RANGE"],
    ] as const) {
      it(`refuses msg.startTime ${startTime} with ${code}`, async () => {
        await start({ store: "none" });
        node.input({ startTime });
        const { error } = await node.caught();
        assert.equal(error.code, code);
        assert.equal(sent().length, 0);
        assert.equal(service.requestsTo(/telemetry/).length, 0);
      });
    }
  });

  for (const [name, properties, code] of [
    ["a start before all data", { startFrom: "hours", startHours: 1e10 }, "ENERGY_INPUT"],
    [
      "a time to confirm that no timer takes",
      { delivery: "confirmed", confirmTimeout: 9_999_999 },
      "ENERGY_INPUT",
    ],
    ["a store that is no name", { store: 5 }, "ENERGY_CONFIG"],
  ] as const) {
    it(`refuses ${name} with ${code}`, async () => {
      await start(properties);
      node.input({});
      const { error } = await node.caught();
      assert.equal(error.code, code);
      if (code === "ENERGY_CONFIG") assert.match(error.message, /file, none, context:memory/);
    });
  }

  it("refuses a message with a range when it keeps its own place", async () => {
    await start();
    node.input({ startTime: "2026-06-10T09:00:00Z" });
    const { error } = await node.caught();
    assert.equal(error.code, "ENERGY_INPUT");
    assert.match(error.message, /store/);
  });

  it("keeps a damaged ledger aside, says so, and begins as a new node", async () => {
    await start();
    await poll();
    const folder = join(userDir, "energy-sites");
    const [file = ""] = await readdir(folder);
    await writeFile(join(folder, file), '{"version":1,"state":{"cur');
    await restart();
    await poll();
    assert.equal(sent().length, 1);
    const files = await readdir(folder);
    assert.equal(files.length, 2);
    assert.ok(files.some((name) => name.includes("damaged")));
    assert.match(node.logged() ?? "", /cannot be read/);
  });

  it("starts a ledger of its own when the site changes, and finds the old one again", async () => {
    await start();
    await poll();
    await restart({ siteId: "demo-farm" });
    await poll();
    polling.clock.setSystemTime(NOW + 10 * MINUTE);
    await restart();
    await poll();
    assert.deepEqual(endsOf(sent()), expectedEnds(NOW, NOW + 10 * MINUTE));
  });

  it("writes a ledger that a person can read and that holds no secret", async () => {
    await start();
    await poll();
    const folder = join(userDir, "energy-sites");
    const [file = ""] = await readdir(folder);
    const text = await readFile(join(folder, file), "utf8");
    const { version, seriesId, state } = JSON.parse(text) as {
      version: number;
      seriesId: string;
      state: { cursor: string };
    };
    assert.deepEqual(
      [version, seriesId, state.cursor],
      [1, "demo-house//telemetry", sent()[0]?.payload.endTime],
    );
    assert.doesNotMatch(text, /test-secret/);
  });

  it("goes on from memory when the user directory cannot be written, and says so each time", async () => {
    await writeFile(join(userDir, "energy-sites"), "a file where the folder should be");
    await start();
    for (const [minutes, count] of [
      [0, 1],
      [5, 2],
    ] as const) {
      polling.clock.setSystemTime(NOW + minutes * MINUTE);
      node.input({});
      const { error } = await node.caught();
      assert.equal(error.code, "ENERGY_CONFIG");
      assert.equal(sent().length, count);
    }
    node.input({});
    assert.equal((await node.caught()).error.code, "ENERGY_CONFIG");
    await unlink(join(userDir, "energy-sites"));
    await poll();
    await polling.restart();
    await poll();
    assert.equal(sent().length, 0, "what could not be saved was saved later, although nothing was new");
  });

  it("keeps its place in a context store, by its name where none is configured, and refuses one that does not exist", async () => {
    for (const store of ["context:memory", "context:default"]) {
      await start({ store });
      await poll();
      await poll();
      assert.equal(sent().length, 1);
      await node.stop();
    }
    await start({ store: "context:nowhere" });
    node.input({});
    const { error } = await node.caught();
    assert.equal(error.code, "ENERGY_CONFIG");
    assert.match(error.message, /nowhere/);
  });

  it("never overlaps itself: messages that come during a poll are served after it", async () => {
    const hold = service.hold(/telemetry/);
    await start();
    node.input({ payload: 1 });
    node.input({ payload: 2 });
    await hold.arrived(1);
    assert.equal(service.requestsTo(/telemetry/).length, 1);
    hold.release();
    await node.completed();
    await node.completed();
    assert.equal(service.requestsTo(/telemetry/).length, 2);
    assert.equal(sent().length, 1);
  });

  it("does not take records for delivered that it was closed over", async () => {
    await start();
    const hold = service.hold(/telemetry/);
    node.input({});
    await hold.arrived(1);
    await restart();
    hold.release();
    await poll();
    assert.equal(sent().length, 1);
  });

  it("shows time and count of the last records", async () => {
    await start({ startFrom: "hours", startHours: 1 });
    await poll();
    assert.match(node.statuses().at(-1) ?? "", /^\d\d:\d\d · 12 records$/);
    await poll();
    assert.match(node.statuses().at(-1) ?? "", /^\d\d:\d\d · no new record$/);
  });
});
