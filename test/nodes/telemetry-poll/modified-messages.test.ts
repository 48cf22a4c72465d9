// Tests for telemetry poll in flows that modify messages, and with delayed data or requests.
import assert from "node:assert/strict";
import type { NodeMessage } from "node-red";
import helper from "node-red-node-test-helper";
import type { TelemetryRecord } from "../../../src/models/telemetry";
import { HOUR, MINUTE } from "../../../src/time-units";
import { endsOf, expectedEnds, NOW, Polling, type SentRecord, times } from "../../support/polling";

const CURSOR = Date.UTC(2026, 5, 10, 10, 5);

describe("telemetry poll: a flow that changes records", () => {
  let polling: Polling;

  beforeEach(async () => {
    polling = await Polling.open("energy-telemetry-poll", { siteId: "demo-house" });
  });
  afterEach(() => polling.close());

  async function start(properties: Record<string, unknown>): Promise<void> {
    await polling.start(properties);
    helper.getNode("out-1")?.on("input", ({ payload }: NodeMessage) => {
      for (const record of [payload].flat() as TelemetryRecord[]) {
        record.endTime = "2020-01-01T00:00:00Z";
        if (record.storage) record.storage["stateOfCharge"] = -1;
      }
    });
  }

  for (const output of ["record", "batch"]) {
    it(`keeps its position, repeats nothing, and sends output 2 the record unchanged (${output})`, async () => {
      await start({ output, lookBack: 60 });
      await polling.poll();
      polling.at(10);
      await polling.poll();
      await polling.poll();
      assert.equal(polling.sent(1).length, output === "batch" ? 2 : 3);
      const newest = polling.sent(2);
      assert.deepEqual(endsOf(newest), [CURSOR, CURSOR + 10 * MINUTE]);
      assert.ok(newest.every(({ payload }) => Number(payload.storage?.["stateOfCharge"]) > 0));
      const startTime = polling.queries().at(-1)?.["startTime"] ?? "";
      assert.equal(Date.parse(startTime), CURSOR - 5 * MINUTE);
      await polling.restart({ output, lookBack: 60 });
      await polling.poll();
      assert.equal(polling.sent(1).length, 0);
    });
  }
});

describe("telemetry poll: delayed data", () => {
  let polling: Polling;

  beforeEach(async () => {
    polling = await Polling.open("energy-telemetry-poll", { siteId: "demo-house" });
  });
  afterEach(() => polling.close());

  it("starts with the newest record however delayed the data is, and sends everything after it", async () => {
    const newest = CURSOR - 3 * HOUR;
    polling.service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) > newest);
    await polling.start();
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), [newest]);
    polling.service.hideRecords(undefined);
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(newest - 5 * MINUTE, NOW));
  });

  it("starts with the first record of a site that had none for a day", async () => {
    polling.service.hideRecords(() => true);
    await polling.start();
    await polling.poll();
    assert.equal(polling.sent().length, 0);
    polling.service.hideRecords((_site, _system, { endTime }) => Date.parse(endTime) <= CURSOR - HOUR);
    await polling.poll();
    assert.deepEqual(endsOf(polling.sent()), expectedEnds(CURSOR - HOUR, NOW));
  });

  for (const output of ["record", "batch"]) {
    it(`sends new records even if a gap request fails, and reports the failure (${output})`, async () => {
      await polling.start({ output });
      await polling.poll();
      polling.service.hideRecords(
        (_site, _system, { endTime }) => Date.parse(endTime) === CURSOR + 5 * MINUTE,
      );
      polling.at(10);
      await polling.poll();
      polling.at(15);
      const hold = polling.service.hold(/telemetry/);
      polling.node.input({});
      await hold.arrived(1);
      polling.service.fault({ path: /telemetry/, status: 501 });
      hold.release();
      assert.equal((await polling.node.caught()).energy.error.code, "ENERGY_HTTP");
      await polling.node.completed();
      const ends = [CURSOR, CURSOR + 10 * MINUTE, CURSOR + 15 * MINUTE];
      const sent = polling.node.sent<SentRecord>().flatMap(({ payload }) => payload);
      assert.deepEqual(times(sent.map(({ endTime }) => endTime)), ends);
      assert.deepEqual(endsOf(polling.sent(2)), ends);
      polling.service.hideRecords(undefined);
      await polling.poll();
      const late = polling.node
        .sent<SentRecord>()
        .flatMap(({ payload }) => payload)
        .at(-1);
      assert.equal(Date.parse(late?.endTime ?? ""), CURSOR + 5 * MINUTE);
    });
  }
});
