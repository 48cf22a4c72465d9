// Tests for what a service client tells about itself: the last requests, the token, the limiter and the clock.
import assert from "node:assert/strict";
import type { ServiceClient } from "../../src/client/service-client";
import { AbortedError } from "../../src/errors";
import { startService, type TestService } from "../support/service";
import { clientOf, failureOf, differentReads } from "./clients";

const SITES = /\/v1\/sites$/;

describe("the diagnostics of a client", () => {
  let service: TestService;
  let client: ServiceClient;

  beforeEach(async () => {
    service = await startService();
    client = clientOf(service);
  });
  afterEach(async () => {
    client.close();
    await service.close();
  });

  const requests = (): string[] =>
    client.diagnostics().requests.map(({ what, outcome, attempt }) => `${what.key} ${outcome} ${attempt}`);

  it("are empty before the first request", () => {
    assert.deepEqual(client.diagnostics(), {
      requests: [],
      limiter: { inFlight: 0, waiting: 0, spacing: 0 },
      isClockSure: false,
    });
  });

  it("list each attempt of a request, with the number of the retry", async () => {
    service.fault({ path: SITES, status: 503 });
    service.fault({ path: SITES, reset: true });
    await client.sites();
    assert.deepEqual(requests(), [
      "whatToken 200 1",
      "whatSites ENERGY_NETWORK 1",
      "whatSites 503 2",
      "whatSites 200 3",
    ]);
    const { requests: entries, lastSuccess, isClockSure } = client.diagnostics();
    assert.equal(lastSuccess, entries.at(-1)?.at);
    assert.equal(isClockSure, true);
  });

  it("say which request was aborted", async () => {
    const abort = new AbortController();
    const hold = service.hold(SITES);
    const read = assert.rejects(client.sites({ signal: abort.signal }), AbortedError);
    await hold.arrived(1);
    abort.abort();
    await read;
    hold.release();
    assert.equal(requests().at(-1), "whatSites aborted 1");
  });

  it("say how old the token is, and that it works", async () => {
    await client.sites();
    const { token } = client.diagnostics();
    assert.ok(token && token.age >= 0 && token.age < 10_000 && token.remaining > 3_500_000);
    assert.equal(token.wasAccepted, true);
  });

  it("count the requests in flight and those that wait", async () => {
    client.close();
    client = clientOf(service, { concurrency: 2 });
    await client.sites();
    const hold = service.hold(/telemetry$/);
    const reads = differentReads(5, (query) => client.telemetry(query));
    await hold.arrived(2);
    assert.deepEqual(client.diagnostics().limiter, { inFlight: 2, waiting: 3, spacing: 0 });
    hold.release();
    await Promise.all(reads);
    assert.deepEqual(client.diagnostics().limiter, { inFlight: 0, waiting: 0, spacing: 0 });
  });

  it("say how the service slows the client down", async () => {
    service.fault({ path: SITES, status: 429, headers: { "retry-after": "300" } });
    await failureOf(client.sites());
    const { pause } = client.diagnostics().limiter;
    assert.equal(pause?.status, 429);
    assert.ok(pause.remaining > 290_000 && pause.remaining <= 300_000);

    const other = clientOf(service, { retryDelaysMs: [] });
    service.fault({ path: SITES, status: 429 });
    await failureOf(other.sites());
    assert.equal(other.diagnostics().limiter.spacing, 500);
    other.close();
  });

  it("say by how much the clock is wrong", async () => {
    const headers = { date: new Date(Date.now() + 7_200_000).toUTCString() };
    for (let count = 0; count < 2; count += 1) {
      service.fault({ path: SITES, headers, body: { data: [] } });
      await client.sites();
    }
    const { clockCorrection = 0 } = client.diagnostics();
    assert.ok(Math.abs(clockCorrection - 7_200_000) < 60_000);
  });
});
