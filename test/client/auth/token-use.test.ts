// Tests for how requests use tokens: each takes the one that is valid in its turn, and a refused request costs the others nothing.
import assert from "node:assert/strict";
import sinon from "sinon";
import { AuthError } from "../../../src/errors";
import type { ServiceClient } from "../../../src/client/service-client";
import { startService, type TestService } from "../../support/service";
import { clientOf, failureOf, differentReads } from "../clients";

const AUTH = /\/v1\/auth$/;
const SITES = /\/v1\/sites$/;

describe("token use", () => {
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

  it("requests a token once for a dialog, while a request of a node goes on retrying", async () => {
    service.fault({ path: AUTH, status: 503, body: "", times: 2 });
    const retried = client.sites();
    await service.received.reach(AUTH, 1);
    const error = await failureOf(client.forDialogs().sites());
    assert.equal(error.details.statusCode, 503);
    assert.equal(tokenRequests(), 2);
    await retried;
    assert.equal(tokenRequests(), 3);
  });

  describe("with one site that answers 401 for ever", () => {
    const HOUSE = /demo-house$/;
    let clock: sinon.SinonFakeTimers;

    beforeEach(async () => {
      clock = sinon.useFakeTimers({ toFake: ["performance"] });
      await client.sites();
      service.fault({ path: HOUSE, status: 401, times: Infinity });
    });

    it("requests a token at most once a minute", async () => {
      for (let seconds = 0; seconds < 180; seconds += 10) {
        const error = await failureOf(client.site("demo-house"));
        assert.ok(error instanceof AuthError);
        assert.equal(error.isOfAccount, false);
        await client.sites();
        clock.tick(10_000);
      }
      assert.equal(tokenRequests(), 1 + 3);
    });

    it("says that the token is accepted elsewhere", async () => {
      await failureOf(client.site("demo-house"));
      await client.sites();
      const error = await failureOf(client.site("demo-house"));
      assert.match(error.message, /Token rejected for this request only \(401\)/);
      assert.equal(error.text.key, "tokenRefusedHere");
    });

    it("keeps the good token for the others, also while another one is requested", async () => {
      const tokens = (): Set<unknown> =>
        new Set(service.requestsTo(SITES).map(({ headers }) => headers.authorization));
      const hold = service.hold(AUTH);
      const refused = failureOf(client.site("demo-house"));
      await hold.arrived();
      await client.sites();
      assert.equal(tokens().size, 1);
      hold.release();
      await refused;
      for (let count = 0; count < 3; count += 1) {
        await failureOf(client.site("demo-house"));
        await client.sites();
      }
      assert.equal(tokens().size, 2);
    });

    it("keeps the good token if another one cannot be had", async () => {
      service.fault({ path: AUTH, status: 501 });
      assert.equal((await failureOf(client.site("demo-house"))).details.statusCode, 501);
      await client.sites();
      assert.equal(tokenRequests(), 2);
    });

    it("reports credentials that are rejected meanwhile as the account's failure", async () => {
      service.fault({ path: AUTH, status: 401 });
      for (let count = 0; count < 2; count += 1) {
        const error = await failureOf(client.site("demo-house"));
        assert.ok(error instanceof AuthError);
        assert.equal(error.isOfAccount, true);
      }
      assert.equal(tokenRequests(), 2);
    });
  });

  it("requests a token at most once a minute while none is accepted", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["performance"] });
    service.fault({ path: SITES, status: 401, times: Infinity });
    for (let seconds = 0; seconds < 120; seconds += 10) {
      assert.match((await failureOf(client.sites())).message, /New token rejected \(401\)/);
      clock.tick(10_000);
    }
    assert.equal(tokenRequests(), 1 + 2);
  });

  it("sends the token that is valid when a request's turn comes, however long the queue was", async () => {
    const sequential = clientOf(service, { concurrency: 1 });
    const clock = sinon.useFakeTimers({ toFake: ["performance"] });
    const hold = service.hold(/alerts$/);
    const first = sequential.alerts();
    await hold.arrived();
    const queued = differentReads(2, (query) => sequential.telemetry(query));
    clock.tick(3600_000);
    hold.release();
    await Promise.all([first, ...queued]);
    sequential.close();
    const [old, ...fresh] = service.requests
      .filter(({ method }) => method === "GET")
      .map(({ headers }) => headers.authorization);
    assert.equal(fresh.length, 2);
    assert.ok(!fresh.includes(old));
    assert.equal(tokenRequests(), 2);
  });

  it("requests a token within the rate limit", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    const limited = clientOf(service, { requestsPerMinute: 1, timeoutSeconds: 3600 });
    const sites = limited.sites();
    const hold = service.hold(AUTH);
    await hold.arrived();
    hold.release();
    await service.answered.reach(AUTH, 1);
    await service.idle();
    await clock.tickAsync(59_000);
    await service.idle();
    assert.equal(service.requestsTo(SITES).length, 0);
    await clock.tickAsync(1000);
    clock.restore();
    await sites;
    limited.close();
  });
});
