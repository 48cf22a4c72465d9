// Tests for the test double: faults apply to the right requests, as often as configured, and requests are logged.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startService, type TestService } from "../support/service";
import { temporaryFolder } from "../support/temporary";
import { basic, Reader } from "./reader";

const HOUR = { startTime: "2026-03-10T10:00:00Z", endTime: "2026-03-10T11:00:00Z" };
const NOW = Date.parse("2026-03-10T12:03:00Z");

describe("test double of the service", () => {
  let service: TestService;
  let reader: Reader;

  beforeEach(async () => {
    service = await startService({ now: () => NOW });
    reader = await Reader.of(service);
  });
  afterEach(() => service.close());

  const starts = async (siteId = "demo-house") =>
    (await reader.telemetry(siteId, HOUR)).map(({ startTime }) => startTime.slice(11, 19));

  it("logs requests with its own time", async () => {
    await reader.get("/v1/sites/a%20b/telemetry", { startTime: "x+y", systemId: "ä" });
    const [auth, telemetry] = service.requests;
    assert.equal(service.requests.length, 2);
    assert.equal(auth?.method, "POST");
    assert.equal(auth.headers.authorization, basic(service.clientId, service.clientSecret));
    assert.equal(auth.body, "");
    assert.equal(telemetry?.path, "/v1/sites/a%20b/telemetry");
    assert.deepEqual(telemetry.query, { startTime: "x+y", systemId: "ä" });
    assert.equal(telemetry.at, NOW);
    assert.deepEqual(service.requestsTo(/telemetry$/), [telemetry]);
  });

  it("applies a fault to matching requests, as many times as configured", async () => {
    service.fault({ path: /telemetry$/, status: 503, times: 2 });
    const seen: number[] = [];
    for (const path of ["/v1/sites", "/v1/sites/demo-house/telemetry"]) {
      for (let time = 0; time < 3; time++) seen.push(await reader.status(path, HOUR));
    }
    assert.deepEqual(seen, [200, 200, 200, 503, 503, 200]);
  });

  it("applies a fault by method, and repeatedly until faults are cleared", async () => {
    service.fault({ method: "GET", times: Infinity, status: 500 });
    for (let time = 0; time < 4; time++) assert.equal(await reader.status("/v1/sites"), 500);
    await Reader.of(service);
    service.clearFaults();
    assert.equal(await reader.status("/v1/sites"), 200);
  });

  it("responds with any status, headers and body", async () => {
    service.fault({
      status: 429,
      headers: { "retry-after": "7" },
      body: { error: { code: "C", message: "m" } },
    });
    const limited = await fetch(`${service.baseUrl}/v1/sites`);
    assert.equal(limited.status, 429);
    assert.equal(limited.headers.get("retry-after"), "7");
    assert.deepEqual(await limited.json(), { error: { code: "C", message: "m" } });
    service.fault({ body: "<html></html>", contentType: "text/html" });
    const page = await fetch(`${service.baseUrl}/v1/sites`);
    assert.equal(page.status, 200);
    assert.equal(page.headers.get("content-type"), "text/html");
    assert.equal(await page.text(), "<html></html>");
    service.fault({ respond: (_request, response) => void response.writeHead(204).end() });
    assert.equal((await fetch(`${service.baseUrl}/v1/sites`)).status, 204);
  });

  it("delays a normal response", async () => {
    service.fault({ delayMs: 60 });
    const start = performance.now();
    assert.equal(await reader.status("/v1/sites"), 200);
    assert.ok(performance.now() - start >= 50);
  });

  it("resets the connection", async () => {
    service.fault({ reset: true });
    await assert.rejects(reader.sites());
    assert.equal((await reader.sites()).length, 6);
  });

  it("truncates the JSON text but not the transfer", async () => {
    service.fault({ truncate: true });
    const response = await fetch(`${service.baseUrl}/v1/sites`);
    const text = await response.text();
    assert.equal(response.headers.get("content-length"), String(text.length));
    assert.throws(() => JSON.parse(text), SyntaxError);
  });

  for (const fault of [{ stall: true as const }, { drip: true as const }]) {
    it(`never ends a response with ${Object.keys(fault)[0]}, and stops with the client`, async () => {
      service.fault(fault);
      const client = new AbortController();
      const response = await fetch(`${service.baseUrl}/v1/sites`, { signal: client.signal });
      assert.equal(response.status, 200);
      const body = response.text();
      setTimeout(() => client.abort(), 20);
      await assert.rejects(body, { name: "AbortError" });
    });
  }

  it("keeps sending bytes, so that an idle timeout never fires", async () => {
    service.fault({ drip: true });
    const { body } = await fetch(`${service.baseUrl}/v1/sites`);
    assert.ok(body);
    const reader = body.getReader();
    for (let chunk = 0; chunk < 4; chunk++) assert.equal((await reader.read()).done, false);
    await reader.cancel();
  });

  it("holds responses until they are released", async () => {
    const hold = service.hold(/\/sites$/);
    const answers = [reader.sites(), reader.sites()];
    await hold.arrived(2);
    assert.equal((await reader.site("demo-farm")).siteId, "demo-farm");
    assert.equal(await Promise.race([...answers, Promise.resolve("held")]), "held");
    hold.release();
    for (const sites of await Promise.all(answers)) assert.equal(sites.length, 6);
    assert.equal((await reader.sites()).length, 6);
  });

  it("is idle once requests have ended, except those on hold", async () => {
    const hold = service.hold(/\/sites$/);
    const ended: string[] = [];
    void reader.sites().then(() => ended.push("held"));
    void reader.site("demo-farm").then(() => ended.push("other"));
    await service.idle();
    assert.deepEqual(ended, ["other"]);
    hold.release();
    await service.idle();
    assert.deepEqual(ended, ["other", "held"]);
  });

  it("is not idle before files are written and messages are delivered", async () => {
    const file = join(temporaryFolder(), "file");
    let isDone = false;
    void writeFile(file, "text").then(() => setImmediate(() => setImmediate(() => (isDone = true))));
    await service.idle();
    assert.ok(isDone);
  });

  it("closes while responses are held, delayed and stalled", async () => {
    service.hold(/farm/);
    service.fault({ path: /twin/, delayMs: 60_000 });
    service.fault({ path: /cabin/, stall: true });
    const open = ["demo-farm", "demo-twin", "demo-cabin"].map((siteId) =>
      assert.rejects(reader.site(siteId)),
    );
    while (service.requestsTo(/demo-/).length < 3) await new Promise(setImmediate);
    await service.close();
    await Promise.all(open);
  });

  it("hides late records", async () => {
    service.hideRecords((siteId, systemId, { startTime }) => {
      return siteId === "demo-house" && systemId === "demo-house-1" && startTime >= "2026-03-10T10:10";
    });
    assert.deepEqual(await starts(), ["10:00:00", "10:05:00"]);
    assert.equal((await starts("demo-farm")).length, 12);
    service.hideRecords(undefined);
    assert.equal((await starts()).length, 12);
  });

  it("returns an extra record at each edge if records are not aligned", async () => {
    service.changeRecords((_siteId, _systemId, record) => ({
      ...record,
      startTime: new Date(Date.parse(record.startTime) + 150_000).toISOString(),
      endTime: new Date(Date.parse(record.endTime) + 150_000).toISOString(),
    }));
    const seen = await starts();
    assert.equal(seen.length, 13);
    assert.deepEqual([seen[0], seen.at(-1)], ["09:57:30", "10:57:30"]);
    service.changeRecords(undefined);
    assert.equal((await starts()).length, 12);
  });

  it("rejects revoked tokens", async () => {
    service.revokeTokens();
    assert.equal(await reader.status("/v1/sites"), 401);
  });

  it("has records of any length, lag and alignment, and one in progress", async () => {
    await service.close();
    const form = { length: 7 * 60_000, offset: 60_000, lag: 10 * 60_000, showsCurrent: true };
    service = await startService({
      now: () => NOW,
      records: (siteId) => (siteId === "demo-house" ? form : {}),
    });
    reader = await Reader.of(service);
    const window = { startTime: "2026-03-10T11:30:00Z", endTime: "2026-03-10T12:30:00Z" };
    const records = await reader.telemetry("demo-house", { ...window, includeInverter: "true" });
    const ends = records.map(({ endTime }) => Date.parse(endTime));
    const current = ends.pop() ?? 0;
    assert.ok(current > NOW && current - form.length <= NOW);
    assert.ok((ends.at(-1) ?? 0) <= NOW - form.lag && (ends.at(-1) ?? 0) > NOW - form.lag - form.length);
    assert.ok(ends.every((end) => (end - form.offset) % form.length === 0));
    for (const [index, { consumption }] of records.slice(1, -1).entries()) {
      const before = records[index]?.consumption.lifetimeEnergy ?? 0;
      assert.ok(Math.abs(consumption.lifetimeEnergy - before - consumption.energy) < 1e-3);
      assert.ok(Math.abs(consumption.power * form.length - consumption.energy * 3_600_000) < 1e-3);
    }
    assert.equal((await reader.telemetry("demo-farm", HOUR)).length, 12);
  });
});
