// Tests for clients with the same credentials on different routes: each has a token and failures of its own.
import assert from "node:assert/strict";
import { clientOf, failureOf } from "../clients";
import { type Proxy, startProxy } from "../http/connect-proxy";
import { CA, startTlsService, type TlsService } from "../http/tls-service";

describe("tokens over several routes", () => {
  let service: TlsService;
  let silent: Proxy;

  beforeEach(async () => {
    service = await startTlsService();
    silent = await startProxy("never");
  });
  afterEach(async () => {
    await silent.close();
    await service.close();
  });

  const tokenRequests = (): number => service.requests.filter((path) => path === "/v1/auth").length;
  const direct = (): ReturnType<typeof clientOf> => clientOf(service, { tls: { ca: CA } });
  const throughSilentProxy = (): ReturnType<typeof clientOf> =>
    clientOf(service, { tls: { ca: CA }, proxy: { url: silent.url, noProxy: [] } });

  it("do not wait for another client's proxy", async () => {
    const [blocked, healthy] = [throughSilentProxy(), direct()];
    const blockedCall = failureOf(blocked.sites());
    while (silent.tunnels.length === 0) await new Promise(setImmediate);
    assert.equal((await healthy.sites()).length, 1);
    blocked.close();
    healthy.close();
    await blockedCall;
  });

  it("do not fail because of another client's TLS settings", async () => {
    const [untrusting, trusting] = [clientOf(service), direct()];
    const [error, sites] = await Promise.all([failureOf(untrusting.sites()), trusting.sites()]);
    untrusting.close();
    trusting.close();
    assert.equal(error.code, "ENERGY_NETWORK");
    assert.equal(sites.length, 1);
  });

  it("are not shared between clients that verify the server and clients that do not", async () => {
    const unverified = (): ReturnType<typeof clientOf> =>
      clientOf(service, { tls: { ca: CA, rejectUnauthorized: false } });
    const clients = [direct(), unverified(), direct(), unverified()];
    for (const client of clients) await client.sites();
    for (const client of clients) client.close();
    assert.equal(tokenRequests(), 2);
  });

  it("are requested once on each route", async () => {
    const tunnel = await startProxy();
    const [first, second] = [direct(), direct()];
    await Promise.all([first.sites(), second.sites()]);
    const third = clientOf(service, { tls: { ca: CA }, proxy: { url: tunnel.url, noProxy: [] } });
    await third.sites();
    for (const client of [first, second, third]) client.close();
    await tunnel.close();
    assert.equal(tokenRequests(), 2);
  });
});
