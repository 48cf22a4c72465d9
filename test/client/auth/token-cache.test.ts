// Tokens: one for the same credentials, asked for once, reused, renewed in time, and no storm when they are refused.
import assert from "node:assert/strict";
import sinon from "sinon";
import { AbortedError, AuthError, EnergyError, ResponseError } from "../../../src/errors";
import type { ServiceClient } from "../../../src/client/service-client";
import type { TestService } from "../../support/service";
import { clientOf, DAY, failureOf, signalled, startFreshService } from "../clients";

const AUTH = /\/v1\/auth$/;
const SITES = /\/v1\/sites$/;

describe("token cache", () => {
  let service: TestService;
  let client: ServiceClient;

  beforeEach(async () => {
    service = await startFreshService();
    client = clientOf(service);
  });

  afterEach(async () => {
    sinon.restore();
    client.close();
    await service.close();
  });

  const tokenRequests = (): number => service.requestsTo(AUTH).length;
  const answerAuth = (body: object, status = 200): void => service.fault({ path: AUTH, status, body });

  it("asks with the Basic header and no body", async () => {
    await client.sites();
    const [request] = service.requestsTo(AUTH);
    const basic = Buffer.from(`${service.clientId}:${service.clientSecret}`).toString("base64");
    assert.equal(request?.method, "POST");
    assert.equal(request.headers.authorization, `Basic ${basic}`);
    assert.equal(request.headers.accept, "application/json");
    assert.equal(request.body, "");
    assert.equal(request.headers["content-length"], "0");
  });

  it("makes one request for 50 callers at once, of two clients", async () => {
    const other = clientOf(service, { concurrency: 50 });
    const calls = Array.from({ length: 25 }, () => [client.sites(), other.sites()]).flat();
    await Promise.all(calls);
    other.close();
    assert.equal(tokenRequests(), 1);
    assert.equal(service.requestsTo(SITES).length, 50);
  });

  it("comes through with a concurrency of 1", async () => {
    const narrow = clientOf(service, { concurrency: 1 });
    await Promise.all([narrow.sites(), narrow.sites(), narrow.telemetry({ siteId: "demo-house", ...DAY })]);
    narrow.close();
    assert.equal(tokenRequests(), 1);
  });

  it("reuses a token until 60 s before its end", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["performance"] });
    await client.sites();
    clock.tick(3539_000);
    await client.sites();
    assert.equal(tokenRequests(), 1);
    clock.tick(2000);
    await client.sites();
    assert.equal(tokenRequests(), 2);
  });

  it("renews a short-lived token a tenth of its life before its end", async () => {
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

  for (const lifetime of [undefined, null, 0, -5, "soon"]) {
    it(`takes a lifetime of ${String(lifetime)} for an hour`, async () => {
      const clock = sinon.useFakeTimers({ toFake: ["performance"] });
      answerAuth({ access_token: "some-token", expires_in: lifetime });
      service.fault({ path: SITES, body: [], times: 2 });
      await client.sites();
      clock.tick(3500_000);
      await client.sites();
      assert.equal(tokenRequests(), 1);
    });
  }

  it("does not care for a wrong clock that steps", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["Date"], now: Date.UTC(1999, 0, 1) });
    service.fault({ path: SITES, body: [], times: 2 });
    await client.sites();
    clock.setSystemTime(Date.UTC(2040, 0, 1));
    await client.sites();
    assert.equal(tokenRequests(), 1);
  });

  it("keeps the token when the client that got it is closed", async () => {
    await client.sites();
    client.close();
    client = clientOf(service);
    await client.sites();
    assert.equal(tokenRequests(), 1);
  });

  it("replaces a token that was revoked early, once for 50 callers, and repeats their requests", async () => {
    await client.sites();
    service.revokeTokens();
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.sites()));
    assert.equal(tokenRequests(), 2);
    assert.ok(answers.every((sites) => sites.length > 0));
  });

  it("does not throw the new token away when a late 401 speaks of the old one", async () => {
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

  it("doubts a token for a 403 once it was let in or is a minute old, and not again within a minute", async () => {
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

  it("doubts a token that was never let in for a 403 after a minute", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["performance"] });
    service.fault({ path: SITES, status: 403 });
    await failureOf(client.sites());
    clock.tick(60_000);
    service.fault({ path: SITES, status: 403 });
    await client.sites();
    assert.equal(tokenRequests(), 2);
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
    it(`leaves credentials rejected with ${status} alone for 60 s, then tries them again`, async () => {
      const clock = sinon.useFakeTimers({ toFake: ["performance"] });
      answerAuth({ error: { message: "unknown client" } }, status);
      const first = await failureOf(client.sites());
      assert.ok(first instanceof AuthError);
      assert.deepEqual(first.details, { statusCode: status, serviceText: "unknown client", retryAfter: 60 });
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

  it("tries changed credentials at once", async () => {
    const wrong = clientOf({ ...service, clientSecret: "wrong-secret" });
    assert.ok((await failureOf(wrong.sites())) instanceof AuthError);
    wrong.close();
    assert.ok((await client.sites()).length > 0);
    assert.equal(tokenRequests(), 2);
  });

  it("repeats a token request that failed for a moment", async () => {
    sinon.stub(Math, "random").returns(0);
    service.fault({ path: AUTH, status: 503 });
    service.fault({ path: AUTH, reset: true });
    await client.sites();
    assert.equal(tokenRequests(), 3);
  });

  it("never renews a token because of a 401 of the token endpoint", async () => {
    service.fault({ path: AUTH, status: 401, times: Infinity });
    await failureOf(client.sites());
    assert.equal(tokenRequests(), 1);
  });

  it("lets one caller stop waiting while the others go on", async () => {
    const hold = service.hold(AUTH);
    const abort = new AbortController();
    const impatient = failureOf(client.sites({ signal: abort.signal }));
    const patient = client.sites();
    await hold.arrived();
    abort.abort();
    assert.ok((await impatient) instanceof AbortedError);
    hold.release();
    assert.ok((await patient).length > 0);
    assert.equal(tokenRequests(), 1);
  });

  it("gives the token request up when nobody waits any longer, and asks anew for the next caller", async () => {
    const hold = service.hold(AUTH);
    const abort = new AbortController();
    const impatient = failureOf(client.sites({ signal: abort.signal }));
    await hold.arrived();
    abort.abort();
    assert.ok((await impatient) instanceof AbortedError);
    const next = client.sites();
    await hold.arrived(2);
    hold.release();
    assert.ok((await next).length > 0);
  });

  it("asks anew for those who wait when the client that asked is closed", async () => {
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
    it(`refuses the token answer ${JSON.stringify(body)}`, async () => {
      service.fault({ path: AUTH, body: JSON.stringify(body) });
      assert.ok((await failureOf(client.sites())) instanceof ResponseError);
    });
  }

  it("says that the address is wrong when there is no token endpoint", async () => {
    answerAuth({}, 404);
    const error = await failureOf(client.sites());
    assert.ok(error instanceof EnergyError);
    assert.equal(error.code, "ENERGY_HTTP");
    assert.match(error.message, /^Access token: not found \(404\)/);
  });
});
