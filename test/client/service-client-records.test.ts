// Tests for reading records: the query, the choice of a system, the preview API, and records that cannot be read.
import assert from "node:assert/strict";
import type { ServiceClient } from "../../src/client/service-client";
import { HttpError, ResponseError, SystemRequiredError } from "../../src/errors";
import { startService, type TestService } from "../support/service";
import { clientOf, DAY, failureOf, PREVIEW } from "./clients";

describe("service client with records", () => {
  let service: TestService;
  let client: ServiceClient;
  let optedIn: ServiceClient;

  beforeEach(async () => {
    service = await startService();
    client = clientOf(service);
    optedIn = clientOf(service, { apiVersion: PREVIEW });
  });
  afterEach(async () => {
    client.close();
    optedIn.close();
    await service.close();
  });

  it("encodes the query, including the plus sign of an offset", async () => {
    service.fault({ path: /telemetry$/, body: { data: [] }, times: 2 });
    const times = { startTime: "2026-02-01T00:00:00+01:00", endTime: "2026-02-01T12:00:00+01:00" };
    await client.telemetry({ siteId: "a", ...times });
    await client.telemetry({ siteId: "a", systemId: "b", ...times, includeInverter: true });
    const [plain, full] = service.requestsTo(/telemetry$/);
    assert.deepEqual(plain?.query, times);
    assert.deepEqual(full?.query, { ...times, systemId: "b", includeInverter: "true" });
  });

  it("opts in to PC1 only where required if the account does not", async () => {
    service.fault({ path: /sites\//, body: { siteId: "a", data: [] }, times: 3 });
    await client.sites();
    await client.rgmTelemetry({ siteId: "a", ...DAY });
    await client.telemetry({ siteId: "a", ...DAY }, { pc1: true });
    await client.site("a");
    const versions = service.requests.map(({ headers }) => headers["vendorapi-version"]);
    assert.deepEqual(versions, [undefined, undefined, PREVIEW, PREVIEW, undefined]);
  });

  it("encodes a space in a query as %20, not as a plus sign", async () => {
    const systemId = "p+2 ä";
    await failureOf(client.telemetry({ siteId: "nowhere", systemId, ...DAY }));
    assert.match(service.requestsTo(/telemetry/)[0]?.url ?? "", /systemId=p%2B2%20%C3%A4(&|$)/);
  });

  it("names the systems to choose from", async () => {
    for (const call of [
      () => optedIn.telemetry({ siteId: "demo-twin", ...DAY }),
      () => client.rgmTelemetry({ siteId: "demo-twin", ...DAY }),
    ]) {
      const error = await failureOf(call());
      assert.ok(error instanceof SystemRequiredError);
      assert.deepEqual(error.details.systemIds, ["demo-twin-a", "demo-twin-b"]);
      assert.match(error.message, /demo-twin-a, demo-twin-b/);
    }
  });

  for (const [name, fault] of [
    ["shows one system", { body: { siteId: "demo-twin", systems: [{ systemId: "demo-twin-a" }] } }],
    ["shows one twice", { body: { siteId: "demo-twin", systems: [{ systemId: "a" }, { systemId: "a" }] } }],
    ["shows none", { body: { siteId: "demo-twin" } }],
    ["cannot be read", { status: 501 }],
  ] as const) {
    it(`passes on what the service says with a 422 if the site ${name}`, async () => {
      service.fault({ path: /telemetry$/, status: 422, body: { message: "The window is too old" } });
      service.fault({ path: /demo-twin$/, ...fault });
      const error = await failureOf(optedIn.telemetry({ siteId: "demo-twin", ...DAY }));
      assert.equal(error.code, "ENERGY_HTTP");
      assert.deepEqual(error.details, { statusCode: 422, serviceText: "The window is too old" });
      assert.match(error.message, /\(422\).*The window is too old/s);
    });
  }

  it("does not require a system after a 422 if one was given", async () => {
    service.fault({ path: /telemetry$/, status: 422 });
    const error = await failureOf(
      optedIn.telemetry({ siteId: "demo-twin", systemId: "demo-twin-a", ...DAY }),
    );
    assert.ok(error instanceof HttpError);
    assert.equal(error.details.statusCode, 422);
  });

  it("sets apart a record that cannot be read, and says where it is", async () => {
    const good = { startTime: DAY.startTime, endTime: DAY.endTime };
    service.fault({ path: /telemetry$/, body: { data: [good, { ...good, startTime: null }] } });
    const { records, unreadable } = await client.telemetry({ siteId: "a", ...DAY });
    assert.deepEqual(
      records.map(({ record }) => record),
      [good],
    );
    assert.deepEqual(
      unreadable.map(({ fault }) => new ResponseError(fault).message),
      ["data[1].startTime is not a time (it is null). Tell your provider. (Telemetry response)"],
    );
  });

  it("returns every field unchanged", async () => {
    const record = { ...DAY, grid: null, solar: { power: null, energy: 0, later: "x" }, new: { deep: [1] } };
    service.fault({ path: /telemetry$/, body: { data: [record], version: 2 } });
    const { records } = await client.telemetry({ siteId: "a", ...DAY });
    const [timed] = records;
    assert.deepEqual(timed?.record, record);
    assert.deepEqual([timed.start, timed.end], [Date.parse(DAY.startTime), Date.parse(DAY.endTime)]);
  });
});
