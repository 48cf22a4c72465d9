// Tests which records a telemetry request returns, and which requests are rejected (service interface 4.4 and 4.5).
import assert from "node:assert/strict";
import { startStrictService, type StrictService } from "../support/demo-service";
import { Reader } from "./reader";

const NOW = "2026-03-10T12:03:00Z";
const HOUR = { startTime: "2026-03-10T10:00:00Z", endTime: "2026-03-10T11:00:00Z" };

describe("demo service: telemetry", () => {
  let service: StrictService;
  let reader: Reader;

  before(async () => {
    service = await startStrictService({ now: () => Date.parse(NOW) });
    reader = await Reader.of(service);
  });
  after(() => service.close());

  const startsOf = async (startTime: string, endTime: string, siteId = "demo-house") =>
    (await reader.telemetry(siteId, { startTime, endTime })).map((record) => record.startTime.slice(11, 16));
  const statusOf = (query: Record<string, string>, siteId = "demo-house") =>
    reader.status(`/v1/sites/${siteId}/telemetry`, query);

  it("omits a record that only touches an edge of the window", async () => {
    assert.deepEqual(await startsOf("2026-03-10T10:00:00Z", "2026-03-10T10:05:00Z"), ["10:00"]);
    assert.deepEqual(await startsOf("2026-03-10T10:00:00Z", "2026-03-10T10:10:00Z"), ["10:00", "10:05"]);
  });

  it("returns a record that overlaps the window by a millisecond", async () => {
    assert.deepEqual(await startsOf("2026-03-10T10:04:59.999Z", "2026-03-10T10:10:00.001Z"), [
      "10:00",
      "10:05",
      "10:10",
    ]);
    assert.deepEqual(await startsOf("2026-03-10T10:01:00Z", "2026-03-10T10:02:00Z"), ["10:00"]);
  });

  it("accepts any UTC offset", async () => {
    assert.deepEqual(await startsOf("2026-03-10T11:00:00+01:00", "2026-03-10T05:35:00.000-04:30"), ["10:00"]);
  });

  it("returns contiguous records of 5 minutes, in time order", async () => {
    const records = await reader.telemetry("demo-house", HOUR);
    assert.equal(records.length, 12);
    for (const [index, record] of records.entries()) {
      assert.equal(Date.parse(record.endTime) - Date.parse(record.startTime), 300_000);
      if (index > 0) assert.equal(record.startTime, records[index - 1]?.endTime);
    }
  });

  it("returns no record before it has ended", async () => {
    assert.deepEqual(await startsOf("2026-03-10T11:50:00Z", "2026-03-10T12:20:00Z"), ["11:50", "11:55"]);
    assert.deepEqual(await startsOf("2026-03-10T12:00:00Z", "2026-03-10T12:20:00Z"), []);
  });

  it("accepts a window of 24 hours and rejects a longer one", async () => {
    const startTime = "2026-03-09T00:00:00Z";
    assert.equal((await startsOf(startTime, "2026-03-10T00:00:00Z")).length, 288);
    assert.equal(await statusOf({ startTime, endTime: "2026-03-10T00:00:00.001Z" }), 400);
  });

  it("rejects an end that is not after the start", async () => {
    assert.equal(await statusOf({ startTime: HOUR.startTime, endTime: HOUR.startTime }), 400);
    assert.equal(await statusOf({ startTime: HOUR.endTime, endTime: HOUR.startTime }), 400);
  });

  it("rejects times that are missing, invalid or without an offset", async () => {
    assert.equal(await statusOf({}), 400);
    assert.equal(await statusOf({ startTime: HOUR.startTime }), 400);
    for (const startTime of [
      "",
      "yesterday",
      "2026-03-10",
      "2026-03-10T10:00:00",
      "2026-13-10T10:00:00Z",
      "1773136800000",
      // A plus sign that was not percent-encoded arrives as a space.
      "2026-03-10T10:00:00 01:00",
    ]) {
      assert.equal(await statusOf({ ...HOUR, startTime }), 400, startTime);
    }
  });

  it("has all of 2024-01-01 in every time zone, and nothing from earlier years", async () => {
    const days = {
      "demo-house": "+01:00",
      "demo-farm": "-07:00",
      "demo-cabin": "+11:00",
      "demo-balcony": "+00:00",
    };
    for (const [siteId, offset] of Object.entries(days)) {
      const records = await startsOf(`2024-01-01T00:00:00${offset}`, `2024-01-02T00:00:00${offset}`, siteId);
      assert.equal(records.length, 288, siteId);
    }
    assert.deepEqual(await startsOf("2023-06-01T00:00:00Z", "2023-06-02T00:00:00Z"), []);
  });

  it("responds with 422 at both endpoints if a site has several systems and none is chosen", async () => {
    assert.equal(await statusOf(HOUR, "demo-twin"), 422);
    assert.equal(await reader.status("/v1/sites/demo-twin/rgm-telemetry", HOUR), 422);
  });

  it("distinguishes the systems of a site", async () => {
    const [a, b] = await Promise.all(
      ["demo-twin-a", "demo-twin-b"].map((systemId) => reader.telemetry("demo-twin", { ...HOUR, systemId })),
    );
    assert.equal(a?.length, 12);
    assert.equal(b?.length, 12);
    assert.notDeepEqual(a, b);
  });

  it("responds with 404 for an unknown system and for one of another site", async () => {
    assert.equal(await statusOf({ ...HOUR, systemId: "unknown" }), 404);
    assert.equal(await statusOf({ ...HOUR, systemId: "demo-farm-1" }), 404);
    assert.equal(await statusOf({ ...HOUR, systemId: "demo-house-1" }, "demo-empty"), 404);
    assert.equal(await statusOf({ ...HOUR, systemId: "demo-house-1" }), 200);
  });

  it("returns nothing for a site without systems", async () => {
    assert.deepEqual(await startsOf(HOUR.startTime, HOUR.endTime, "demo-empty"), []);
  });

  it("leaves groups null if the equipment is absent or not measured", async () => {
    const groupsOf = async (siteId: string) => {
      const [record] = await reader.telemetry(siteId, HOUR);
      return {
        solar: record?.solar !== null,
        storage: record?.storage !== null,
        status: record?.grid.connectivityStatus,
      };
    };
    assert.deepEqual(await groupsOf("demo-house"), { solar: true, storage: true, status: "CONNECTED" });
    assert.deepEqual(await groupsOf("demo-farm"), { solar: true, storage: true, status: null });
    assert.deepEqual(await groupsOf("demo-cabin"), { solar: false, storage: true, status: null });
    assert.deepEqual(await groupsOf("demo-balcony"), { solar: true, storage: false, status: "CONNECTED" });
  });

  it("adds the inverter group only on request", async () => {
    const has = async (extra: Record<string, string>) =>
      (await reader.telemetry("demo-farm", { ...HOUR, ...extra })).map((record) => "inverter" in record);
    assert.ok((await has({})).every((present) => !present));
    assert.ok((await has({ includeInverter: "false" })).every((present) => !present));
    assert.ok((await has({ includeInverter: "true" })).every((present) => present));
    assert.equal(await statusOf({ ...HOUR, includeInverter: "yes" }), 400);
  });

  it("returns meter records only for systems with a METER", async () => {
    assert.equal((await reader.rgm("demo-farm", HOUR)).length, 12);
    assert.equal((await reader.rgm("demo-twin", { ...HOUR, systemId: "demo-twin-a" })).length, 12);
    assert.deepEqual(await reader.rgm("demo-twin", { ...HOUR, systemId: "demo-twin-b" }), []);
    for (const siteId of ["demo-house", "demo-cabin", "demo-balcony", "demo-empty"]) {
      assert.deepEqual(await reader.rgm(siteId, HOUR), [], siteId);
    }
  });

  it("follows the same rules for rgm-telemetry", async () => {
    const status = (query: Record<string, string>) =>
      reader.status("/v1/sites/demo-farm/rgm-telemetry", query);
    assert.equal(await status({ ...HOUR, startTime: "2026-03-09T10:59:59Z" }), 400);
    assert.equal(await status({ ...HOUR, systemId: "unknown" }), 404);
    const cut = { startTime: "2026-03-10T10:05:00Z", endTime: "2026-03-10T10:10:00.001Z" };
    assert.deepEqual(
      (await reader.rgm("demo-farm", cut)).map(({ startTime }) => startTime.slice(11, 16)),
      ["10:05", "10:10"],
    );
  });

  it("rejects rgm-telemetry without the version header", async () => {
    assert.equal(await reader.status("/v1/sites/demo-farm/rgm-telemetry", HOUR, {}), 400);
    assert.equal(await reader.status("/v1/sites/demo-house/rgm-telemetry", HOUR, {}), 400);
  });
});
