// Tests for retries: which requests are retried, after what delay, and which error the user sees.
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import sinon from "sinon";
import { HttpError, RateLimitError } from "../../../src/errors";
import { type Outcome, parseRetryAfter, Retries } from "../../../src/client/http/retry";
import type { ServiceClient } from "../../../src/client/service-client";
import { startService, type TestService } from "../../support/service";
import { clientOf, failureOf } from "../clients";

const SITES = /\/v1\/sites$/;
const ALERTS = /\/v1\/alerts$/;
/** Makes retries follow at once. */
const AT_ONCE = { "retry-after": "0" };

describe("retry decision", () => {
  const outcomes: Outcome[] = ["network error", ...[429, 500, 502, 503, 504].map((status) => ({ status }))];

  /** The delays after attempts that take no time and all end the same way. */
  function delaysAfter(outcome: Outcome, random: number, attemptMs = 0): (number | undefined)[] {
    const retries = new Retries();
    const delays: (number | undefined)[] = [];
    let now = 0;
    do {
      retries.begin(now);
      now += attemptMs;
      const delay = retries.delayAfter(outcome, now, random);
      delays.push(delay);
      now += delay ?? 0;
    } while (delays.at(-1) !== undefined);
    return delays;
  }

  for (const outcome of outcomes) {
    it(`retries three times after ${JSON.stringify(outcome)}, for longer than a Wi-Fi drop of 10 s`, () => {
      assert.deepEqual(delaysAfter(outcome, 0), [1000, 3000, 10_000, undefined]);
      assert.deepEqual(delaysAfter(outcome, 1), [750, 2250, 7500, undefined]);
    });

    it(`begins no attempt more than 20 s after the first one (${JSON.stringify(outcome)})`, () => {
      assert.deepEqual(delaysAfter(outcome, 0, 2000), [1000, 3000, 10_000, undefined]);
      assert.deepEqual(delaysAfter(outcome, 0, 2001), [1000, 3000, undefined]);
      assert.deepEqual(delaysAfter(outcome, 0, 20_000), [undefined]);
    });
  }

  for (const status of [200, 302, 400, 401, 403, 404, 422, 501]) {
    it(`does not retry after ${status}`, () => assert.deepEqual(delaysAfter({ status }, 0), [undefined]));
  }

  it("retries once after a timeout, however long that was", () => {
    assert.deepEqual(delaysAfter("timeout", 0, 30_000), [1000, undefined]);
  });

  it("uses Retry-After instead of its own delay, up to a minute", () => {
    const after = (status: number, retryAfter: number): unknown => delaysAfter({ status, retryAfter }, 1);
    assert.deepEqual(after(503, 60), [60_000, 60_000, 60_000, undefined]);
    assert.deepEqual(after(503, 61), [undefined]);
  });

  it("follows a Retry-After of 0 at once", () => {
    assert.deepEqual(delaysAfter({ status: 503, retryAfter: 0 }, 1), [0, 0, 0, undefined]);
  });
});

describe("Retry-After", () => {
  const DATE = "Wed, 01 Jul 2026 12:00:00 GMT";

  it("is parsed as seconds", () => assert.equal(parseRetryAfter(" 120 ", undefined), 120));
  it("is not undercut if it is a fraction", () => assert.equal(parseRetryAfter("1.5", undefined), 2));
  it("is parsed as a date, relative to the service's clock", () => {
    assert.equal(parseRetryAfter("Wed, 01 Jul 2026 12:01:30 GMT", DATE), 90);
    assert.equal(parseRetryAfter("Wed, 01 Jul 2026 11:00:00 GMT", DATE), 0);
  });
  it("is relative to the local clock if the service does not send its own", () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    assert.ok(Math.abs((parseRetryAfter(inAMinute, undefined) ?? 0) - 60) <= 1);
  });
  it("is parsed as a date in GMT in each form that HTTP allows, wherever Node-RED runs", () => {
    const zone = process.env["TZ"];
    process.env["TZ"] = "America/New_York";
    try {
      for (const date of ["Wednesday, 01-Jul-26 12:01:30 GMT", "Wed Jul  1 12:01:30 2026"])
        assert.equal(parseRetryAfter(date, DATE), 90);
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });
  it("is limited to an hour", () => assert.equal(parseRetryAfter("99999999999", DATE), 3600));
  for (const text of [undefined, "", "soon", "-5", "1.5.2", "Wed, 99"]) {
    it(`is ignored if it is ${text}`, () => assert.equal(parseRetryAfter(text, DATE), undefined));
  }
});

describe("retries", () => {
  let service: TestService;
  let client: ServiceClient;

  beforeEach(async () => {
    service = await startService();
    client = clientOf(service);
    await client.sites();
    service.requests.length = 0;
  });

  afterEach(async () => {
    sinon.restore();
    client.close();
    await service.close();
  });

  /** Waits in virtual time. `passed`: called with how much of it. */
  async function inVirtualTime<T>(work: () => Promise<T>, passed?: (ms: number) => void): Promise<T> {
    const clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    const result = work();
    const over = sinon.spy();
    result.then(over, over);
    const start = performance.now();
    while (!over.called) {
      await service.idle();
      await clock.tickAsync(100);
      passed?.(performance.now() - start);
    }
    clock.restore();
    return result;
  }

  for (const status of [500, 502, 503, 504, 429]) {
    it(`succeed after three responses with ${status}`, async () => {
      service.fault({ path: SITES, status, times: 3, headers: AT_ONCE });
      assert.ok((await inVirtualTime(() => client.sites())).length > 0);
      assert.equal(service.requests.length, 4);
    });
  }

  it("survive a service that cannot be reached for 10 s", async () => {
    const patient = clientOf(service, { retryDelaysMs: undefined });
    service.fault({ path: SITES, reset: true, times: Infinity });
    const sites = await inVirtualTime(
      () => patient.sites(),
      (ms) => void (ms >= 10_000 && service.clearFaults()),
    );
    patient.close();
    assert.ok(sites.length > 0);
    assert.equal(service.requestsTo(SITES).length, 4);
  });

  it("slow the account down after 429 with a Retry-After of 0, as without one", async () => {
    service.fault({ path: SITES, status: 429, headers: AT_ONCE });
    await inVirtualTime(() => client.sites());
    assert.equal(client.diagnostics().limiter.spacing, 450);
  });

  it("end after four attempts with the service's error text", async () => {
    service.fault({ path: SITES, status: 503, times: Infinity });
    const error = await failureOf(client.sites());
    assert.ok(error instanceof HttpError);
    assert.deepEqual(error.details, { statusCode: 503, serviceText: "a fault of the test" });
    assert.equal(service.requests.length, 4);
  });

  it("end with ENERGY_RATE_LIMIT if every attempt is rate limited", async () => {
    service.fault({ path: SITES, status: 429, times: Infinity, headers: AT_ONCE });
    const error = await inVirtualTime(() => failureOf(client.sites()));
    assert.ok(error instanceof RateLimitError);
    assert.deepEqual(error.details, { statusCode: 429, serviceText: "a fault of the test" });
    assert.equal(service.requests.length, 4);
  });

  it("are not made after responses that would not change", async () => {
    for (const status of [400, 404, 422, 501]) {
      service.fault({ path: SITES, status });
      assert.equal((await failureOf(client.sites())).details.statusCode, status);
    }
    assert.equal(service.requests.length, 4);
  });

  it("pause the whole account for as long as Retry-After says", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    service.fault({ path: SITES, status: 429, headers: { "retry-after": "20" } });
    const held = client.sites();
    await service.idle();
    const other = client.alerts();
    await clock.tickAsync(19_900);
    assert.equal(service.requests.length, 1);
    await clock.tickAsync(200);
    clock.restore();
    await Promise.all([held, other]);
    assert.equal(service.requestsTo(SITES).length, 2);
    assert.equal(service.requestsTo(ALERTS).length, 1);
  });

  for (const [status, type] of [
    [429, RateLimitError],
    [503, HttpError],
  ] as const) {
    it(`are not made if Retry-After is more than a minute (${status})`, async () => {
      const clock = sinon.useFakeTimers({ toFake: ["performance"] });
      service.fault({ path: SITES, status, headers: { "retry-after": "90" } });
      const first = await failureOf(client.sites());
      assert.ok(first instanceof type);
      assert.equal(first.details.retryAfter, 90);
      clock.tick(60_000);
      const second = await failureOf(client.alerts());
      assert.ok(second instanceof type);
      assert.deepEqual(second.details, { statusCode: status, retryAfter: 30 });
      assert.equal(service.requests.length, 1);
      clock.tick(30_001);
      await client.alerts();
      assert.equal(service.requests.length, 2);
    });
  }

  it("wait for as long as the first of several Retry-After headers says", async () => {
    const respond = (_request: IncomingMessage, response: ServerResponse): void =>
      void response.setHeader("retry-after", ["90", "180"]).writeHead(429).end();
    service.fault({ path: SITES, respond });
    assert.equal((await failureOf(client.sites())).details.retryAfter, 90);
  });

  it("pause everything if the token endpoint sends Retry-After", async () => {
    service.revokeTokens();
    service.fault({ path: /auth$/, status: 429, headers: { "retry-after": "3600" } });
    assert.ok((await failureOf(client.sites())) instanceof RateLimitError);
    assert.ok((await failureOf(client.alerts())) instanceof RateLimitError);
    assert.equal(service.requestsTo(/auth$/).length, 1);
    assert.equal(service.requestsTo(ALERTS).length, 0);
  });
});
