// Tests for tokens: one per set of credentials, requested once, reused, renewed in time, and no request storm on failure.
import assert from "node:assert/strict";
import sinon from "sinon";
import { AbortedError, AuthError, EnergyError, isRefusal, ResponseError } from "../../../src/errors";
import type { ServiceClient } from "../../../src/client/service-client";
import { startService, type TestService } from "../../support/service";
import { clientOf, DAY, failureOf, signalled, differentReads } from "../clients";

const AUTH = /\/v1\/auth$/;
const SITES = /\/v1\/sites$/;
const TELEMETRY = /telemetry$/;

describe("token cache", () => {
  let service: TestService;
  let client: ServiceClient;

  beforeEach(async () => {
    service = await startService();
    client = clientOf(service);
  });

  afterEach(async () => {
    sinon.restore();
    client.close();
    await service.close();
  });

  const tokenRequests = (): number => service.requestsTo(AUTH).length;
  const answerAuth = (body: object, status = 200): void => service.fault({ path: AUTH, status, body });

  it("requests a token with the Basic header and no body", async () => {
    await client.sites();
    const [request] = service.requestsTo(AUTH);
    const basic = Buffer.from(`${service.clientId}:${service.clientSecret}`).toString("base64");
    assert.equal(request?.method, "POST");
    assert.equal(request.headers.authorization, `Basic ${basic}`);
    assert.equal(request.headers.accept, "application/json");
    assert.equal(request.body, "");
    assert.equal(request.headers["content-length"], "0");
  });

  it("makes one request for 50 concurrent callers of two clients", async () => {
    service.fault({ path: TELEMETRY, body: { data: [] }, times: 50 });
    const other = clientOf(service, { concurrency: 50 });
    const calls = [client, other].map((each) => differentReads(25, (query) => each.telemetry(query)));
    await Promise.all(calls.flat());
    other.close();
    assert.equal(tokenRequests(), 1);
    assert.equal(service.requestsTo(TELEMETRY).length, 50);
  });

  it("works with a concurrency of 1", async () => {
    service.fault({ path: TELEMETRY, body: { data: [] } });
    const sequential = clientOf(service, { concurrency: 1 });
    await Promise.all([
      sequential.sites(),
      sequential.sites(),
      sequential.telemetry({ siteId: "demo-house", ...DAY }),
    ]);
    sequential.close();
    assert.equal(tokenRequests(), 1);
  });

  it("reuses a token until 60 s before it expires", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["performance"] });
    await client.sites();
    clock.tick(3539_000);
    await client.sites();
    assert.equal(tokenRequests(), 1);
    clock.tick(2000);
    await client.sites();
    assert.equal(tokenRequests(), 2);
  });

  it("renews a short-lived token when a tenth of its lifetime is left", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["performance"] });
    answerAuth({ access_token: "short", expires_in: 100 });
    service.fault({ path: SITES, body: [], times: 2 });
    await client.sites();
    clock.tick(89_000);
    await client.sites();
    assert.equal(tokenRequests(), 1);
    clock.tick(2000);
    await client.sites();
    assert.equal(tokenRequests(), 2);
  });

  for (const lifetime of [undefined, null, 0, -5, "soon", { valueOf: 1, toString: 1 }]) {
    it(`treats a lifetime of ${JSON.stringify(lifetime)} as one hour`, async () => {
      const clock = sinon.useFakeTimers({ toFake: ["performance"] });
      answerAuth({ access_token: "some-token", expires_in: lifetime });
      service.fault({ path: SITES, body: [], times: 2 });
      await client.sites();
      clock.tick(3500_000);
      await client.sites();
      assert.equal(tokenRequests(), 1);
    });
  }

  it("is not affected when the system clock is set", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["Date"], now: Date.UTC(1999, 0, 1) });
    service.fault({ path: SITES, body: [], times: 2 });
    await client.sites();
    clock.setSystemTime(Date.UTC(2040, 0, 1));
    await client.sites();
    assert.equal(tokenRequests(), 1);
  });

  it("keeps the token when the client that requested it is closed", async () => {
    await client.sites();
    client.close();
    client = clientOf(service);
    await client.sites();
    assert.equal(tokenRequests(), 1);
  });

  it("replaces a revoked token once for 50 callers, and repeats their requests", async () => {
    await client.sites();
    service.revokeTokens();
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.sites()));
    assert.equal(tokenRequests(), 2);
    assert.ok(answers.every((sites) => sites.length > 0));
  });

  it("keeps the new token when a late 401 refers to the old one", async () => {
    await client.sites();
    const gate = signalled();
    service.fault({
      path: /alerts$/,
      respond: (_request, response) => void gate.promise.then(() => response.writeHead(401).end()),
    });
    const late = client.alerts();
    service.fault({ path: SITES, status: 401 });
    await client.sites();
    gate.resolve();
    await late;
    assert.equal(tokenRequests(), 2);
  });

  it("renews a token after a 403 if it was accepted before, and at most once a minute", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["performance"] });
    service.fault({ path: SITES, status: 403 });
    assert.equal((await failureOf(client.sites())).code, "ENERGY_HTTP");
    assert.equal(tokenRequests(), 1);
    await client.sites();
    service.fault({ path: SITES, status: 403 });
    await client.sites();
    assert.equal(tokenRequests(), 2);
    for (const seconds of [0, 59]) {
      clock.tick(seconds * 1000);
      service.fault({ path: SITES, status: 403 });
      assert.equal((await failureOf(client.sites())).code, "ENERGY_HTTP");
      assert.equal(tokenRequests(), 2);
    }
    clock.tick(1000);
    service.fault({ path: SITES, status: 403 });
    await client.sites();
    assert.equal(tokenRequests(), 3);
  });

  it("gives up after a second 401 in a row", async () => {
    service.fault({ path: SITES, status: 401, times: Infinity });
    const error = await failureOf(client.sites());
    assert.ok(error instanceof AuthError);
    assert.equal(error.details.statusCode, 401);
    assert.equal(service.requestsTo(SITES).length, 2);
    assert.equal(tokenRequests(), 2);
  });

  for (const status of [400, 401, 403]) {
    it(`waits 60 s before it retries credentials rejected with ${status}`, async () => {
      const clock = sinon.useFakeTimers({ toFake: ["performance"] });
      answerAuth({ error: { message: "unknown client" } }, status);
      const first = await failureOf(client.sites());
      assert.ok(first instanceof AuthError);
      assert.deepEqual(first.details, { statusCode: status, retryAfter: 60 });
      assert.match(first.message, /Check the account's credentials/);
      clock.tick(45_000);
      const second = await failureOf(client.sites());
      assert.match(second.message, /next attempt is in 15 s at the earliest/);
      assert.equal(tokenRequests(), 1);
      clock.tick(15_001);
      assert.ok((await client.sites()).length > 0);
      assert.equal(tokenRequests(), 2);
    });
  }

  for (const [name, body] of Object.entries({
    "without a token": { token: "abc" },
    "with an empty token": { access_token: "" },
    "that is a page": "<html>Log in to the network</html>",
  })) {
    it(`is requested at most once a minute after a response ${name}`, async () => {
      const clock = sinon.useFakeTimers({ toFake: ["performance"] });
      service.fault({ path: AUTH, body, times: Infinity });
      const first = await failureOf(client.sites());
      assert.equal(first.code, "ENERGY_RESPONSE");
      clock.tick(59_000);
      const second = await failureOf(client.sites());
      assert.deepEqual([second.code, second.message], [first.code, first.message]);
      assert.equal(tokenRequests(), 1);
      clock.tick(1001);
      await failureOf(client.sites());
      assert.equal(tokenRequests(), 2);
      service.clearFaults();
      clock.tick(60_001);
      assert.ok((await client.sites()).length > 0);
      assert.equal(tokenRequests(), 3);
    });
  }

  it("is requested at most once a minute where there is no login, which is no refusal of a site", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["performance"] });
    service.fault({ path: AUTH, status: 404, times: Infinity });
    const errors = [await failureOf(client.site("demo-house"))];
    clock.tick(59_000);
    errors.push(await failureOf(client.site("demo-house")));
    assert.equal(tokenRequests(), 1);
    for (const error of errors)
      assert.deepEqual(
        [error.code, error.details.statusCode, error.isOfAccount, isRefusal(error)],
        ["ENERGY_HTTP", 404, true, false],
      );
    clock.tick(1001);
    service.clearFaults();
    assert.ok((await client.sites()).length > 0);
  });

  it("tries changed credentials immediately", async () => {
    const wrong = clientOf({ ...service, clientSecret: "wrong-secret" });
    assert.ok((await failureOf(wrong.sites())) instanceof AuthError);
    wrong.close();
    assert.ok((await client.sites()).length > 0);
    assert.equal(tokenRequests(), 2);
  });

  it("retries a token request after a temporary failure", async () => {
    service.fault({ path: AUTH, status: 503 });
    service.fault({ path: AUTH, reset: true });
    await client.sites();
    assert.equal(tokenRequests(), 3);
  });

  it("never renews a token because of a 401 from the token endpoint", async () => {
    service.fault({ path: AUTH, status: 401, times: Infinity });
    await failureOf(client.sites());
    assert.equal(tokenRequests(), 1);
  });

  it("is requested anew by the others when the caller who requests it stops waiting", async () => {
    const hold = service.hold(AUTH);
    const abort = new AbortController();
    const aborted = failureOf(client.sites({ signal: abort.signal }));
    const waiting = client.sites();
    await hold.arrived();
    abort.abort();
    assert.ok((await aborted) instanceof AbortedError);
    hold.release();
    assert.ok((await waiting).length > 0);
    assert.equal(tokenRequests(), 2);
  });

  it("aborts the token request when no caller waits for it, and makes a new one for the next caller", async () => {
    const hold = service.hold(AUTH);
    const abort = new AbortController();
    const aborted = failureOf(client.sites({ signal: abort.signal }));
    await hold.arrived();
    abort.abort();
    assert.ok((await aborted) instanceof AbortedError);
    const next = client.sites();
    await hold.arrived(2);
    hold.release();
    assert.ok((await next).length > 0);
  });

  it("makes a new request for waiting callers when the requesting client is closed", async () => {
    const hold = service.hold(AUTH);
    const closing = failureOf(client.sites());
    await hold.arrived();
    const other = clientOf(service);
    const waiting = other.sites();
    client.close();
    assert.ok((await closing) instanceof AbortedError);
    await hold.arrived(2);
    hold.release();
    assert.ok((await waiting).length > 0);
    other.close();
    assert.equal(tokenRequests(), 2);
  });

  for (const body of [
    {},
    { access_token: 7 },
    { access_token: "" },
    { access_token: "two\nlines" },
    [],
    "text",
  ]) {
    it(`rejects the token response ${JSON.stringify(body)}`, async () => {
      service.fault({ path: AUTH, body: JSON.stringify(body) });
      assert.ok((await failureOf(client.sites())) instanceof ResponseError);
    });
  }

  for (const [name, status, body, contentType, code] of [
    ["there is no token endpoint", 404, {}, "application/json", "ENERGY_HTTP"],
    ["it accepts no POST", 405, {}, "application/json", "ENERGY_HTTP"],
    ["it is a web page", 200, "<!doctype html><title>Home</title>", "text/html", "ENERGY_RESPONSE"],
    ["it is an empty web page", 200, "", "text/html", "ENERGY_RESPONSE"],
  ] as const) {
    it(`says that the base URL is wrong if ${name}`, async () => {
      service.fault({ path: AUTH, status, body, contentType });
      const error = await failureOf(client.sites());
      assert.ok(error instanceof EnergyError);
      assert.equal(error.code, code);
      assert.equal(error.message, "No login endpoint at this address. Check the base URL.");
    });
  }

  it("accepts a token whatever its content type", async () => {
    service.fault({ path: AUTH, body: { access_token: "a-token" }, contentType: "text/html" });
    service.fault({ path: /sites/, body: [] });
    assert.deepEqual(await client.sites(), []);
  });
});
