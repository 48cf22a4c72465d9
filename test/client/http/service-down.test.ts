// Tests for a service that fails for all sites: a handful of requests, an error that says so, and recovery by itself.
import assert from "node:assert/strict";
import sinon from "sinon";
import { ServiceDownError } from "../../../src/errors";
import type { ServiceClient } from "../../../src/client/service-client";
import { startService, type TestService } from "../../support/service";
import { clientOf, DAY, failureOf } from "../clients";

const TELEMETRY = /telemetry$/;
const EMPTY = { path: TELEMETRY, times: Number.POSITIVE_INFINITY, body: { data: [] } };
const ALWAYS = { times: Number.POSITIVE_INFINITY };

describe("a service that fails for all sites", () => {
  let service: TestService;
  let client: ServiceClient;
  let clock: sinon.SinonFakeTimers;

  beforeEach(async () => {
    service = await startService();
    client = clientOf(service, { concurrency: 8 });
    service.fault(EMPTY);
    await client.sites();
    service.requests.length = 0;
  });
  afterEach(async () => {
    clock?.restore();
    client.close();
    await service.close();
  });

  const read = (index: number, by = client): Promise<unknown> =>
    by.telemetry({ siteId: `site-${index}`, ...DAY });
  const readAll = (count: number): Promise<PromiseSettledResult<unknown>[]> =>
    Promise.allSettled(Array.from({ length: count }, (_, index) => read(index)));
  const errors = (results: PromiseSettledResult<unknown>[]): unknown[] =>
    results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));

  for (const [name, fault, code] of [
    ["503", { status: 503 }, "ENERGY_HTTP"],
    ["no connection", { reset: true }, "ENERGY_NETWORK"],
  ] as const) {
    it(`gets a handful of requests for hundreds of sites (${name})`, async () => {
      // However long this takes, it is not yet time for a probe.
      clock = sinon.useFakeTimers({ toFake: ["performance"] });
      service.fault({ path: TELEMETRY, ...ALWAYS, ...fault });
      const failures = errors(await readAll(300));
      assert.equal(failures.length, 300);
      // Eight in flight, two more when the first two had failed, and three retries.
      assert.ok(service.requests.length <= 13, `${service.requests.length} requests`);
      for (const error of failures) {
        assert.ok(error instanceof ServiceDownError);
        assert.equal(error.code, code);
      }
      assert.equal(new Set(failures).size, 300);
      await failureOf(read(7, client.for({ id: "poll", priority: "schedule" })));
      assert.ok(service.requests.length <= 13);
      assert.equal(client.diagnostics().limiter.breaker?.mode, "open");
    });
  }

  it("gets a handful of requests if nothing of it is worth a retry (520)", async () => {
    service.fault({ path: TELEMETRY, status: 520, ...ALWAYS });
    assert.equal(errors(await readAll(100)).length, 100);
    assert.ok(service.requests.length <= 10, `${service.requests.length} requests`);
    assert.equal(client.diagnostics().limiter.breaker?.mode, "open");
  });

  it("is not waited for by a request that was on its way when it was found to fail", async () => {
    const headers = { "retry-after": "20" };
    service.fault({ path: TELEMETRY, status: 503, ...ALWAYS });
    service.fault({ path: /site-99.telemetry/, status: 503, headers, ...ALWAYS });
    const hold = service.hold(/site-99.telemetry/);
    const late = failureOf(read(99));
    await hold.arrived();
    await readAll(20);
    const start = performance.now();
    hold.release();
    assert.ok((await late) instanceof ServiceDownError);
    assert.ok(performance.now() - start < 15_000);
  });

  it("gets one token request if that is what fails", async () => {
    client.close();
    client = clientOf(service, { concurrency: 8 });
    service.revokeTokens();
    service.fault({ path: /auth$/, status: 503, ...ALWAYS });
    const fresh = clientOf({ ...service, clientSecret: "another" }, { concurrency: 8 });
    const results = await Promise.allSettled(Array.from({ length: 100 }, (_, index) => read(index, fresh)));
    fresh.close();
    assert.equal(errors(results).length, 100);
    assert.equal(service.requestsTo(/auth$/).length, 4);
  });

  it("fails no one if it is back before the retries are over", async () => {
    clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    const patient = clientOf(service, { concurrency: 8, retryDelaysMs: undefined });
    service.fault({ path: TELEMETRY, reset: true, ...ALWAYS });
    const all = Promise.all(Array.from({ length: 100 }, (_, index) => read(index, patient)));
    const over = sinon.spy();
    all.then(over, over);
    const start = performance.now();
    while (!over.called) {
      await service.idle();
      await clock.tickAsync(250);
      if (performance.now() - start >= 10_000 && performance.now() - start < 10_250) {
        service.clearFaults();
        service.fault(EMPTY);
      }
      assert.ok(performance.now() - start < 60_000);
    }
    patient.close();
    assert.equal((await all).length, 100);
  });

  it("is probed by one request, for which the others wait, and goes on once that succeeds", async () => {
    clock = sinon.useFakeTimers({ toFake: ["performance"] });
    const down = { path: TELEMETRY, status: 503, ...ALWAYS };
    service.fault(down);
    await readAll(20);
    const before = service.requests.length;
    clock.tick(5001);
    assert.equal(errors(await readAll(50)).length, 50);
    assert.equal(service.requests.length, before + 1);
    clock.tick(10_001);
    service.clearFaults();
    service.fault(EMPTY);
    assert.equal(errors(await readAll(50)).length, 0);
    assert.equal(client.diagnostics().limiter.breaker, undefined);
  });

  it("keeps no one from what works, however often the sites of others fail", async () => {
    clock = sinon.useFakeTimers({ toFake: ["performance"] });
    service.clearFaults();
    service.fault({ path: /site-\d\/telemetry$/, status: 503, ...ALWAYS });
    const scheduled = client.for({ id: "other", priority: "schedule" });
    for (let times = 0; times < 10; times += 1) {
      await Promise.allSettled([0, 1, 2].map((index) => read(index, scheduled)));
      assert.equal(client.diagnostics().limiter.breaker?.mode, "open");
      clock.tick(4000);
      await scheduled.alerts();
      clock.tick(56_000);
    }
    await Promise.allSettled([0, 1, 2].map((index) => read(index, scheduled)));
    clock.tick(4000);
    await scheduled.siteAlerts("demo-house");
    await Promise.allSettled([0, 1, 2].map((index) => read(index, scheduled)));
    assert.equal(client.diagnostics().limiter.breaker, undefined);
  });

  it("is back as soon as a site can be read, although the list of sites still fails", async () => {
    clock = sinon.useFakeTimers({ toFake: ["performance"] });
    service.fault({ path: TELEMETRY, status: 503, ...ALWAYS });
    await readAll(3);
    assert.equal(client.diagnostics().limiter.breaker?.mode, "open");
    service.clearFaults();
    service.fault(EMPTY);
    service.fault({ path: /sites$/, status: 503, ...ALWAYS });
    clock.tick(5000);
    service.requests.length = 0;
    const poll = client.for({ id: "poll", priority: "schedule" });
    assert.equal((await failureOf(poll.sites())).details.statusCode, 503);
    assert.equal(service.requests.length, 1);
    await read(0, poll);
    assert.equal(client.diagnostics().limiter.breaker, undefined);
  });

  it("is never seen by an account of two sites", async () => {
    service.fault({ path: TELEMETRY, status: 503, ...ALWAYS });
    for (let times = 0; times < 3; times += 1) {
      const failures = errors(await readAll(2));
      for (const error of failures) assert.ok(!(error instanceof ServiceDownError));
    }
    assert.equal(service.requests.length, 3 * 2 * 4);
  });

  it("is not thought of if single sites fail", async () => {
    service.fault({ path: /site-[1-5]\/telemetry$/, status: 500, ...ALWAYS });
    for (let times = 0; times < 3; times += 1) {
      const failures = errors(await readAll(40));
      assert.equal(failures.length, 5);
      for (const error of failures) assert.ok(!(error instanceof ServiceDownError));
    }
  });
});
