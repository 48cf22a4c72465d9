// Tests for identical requests that are in flight at the same time: made once, with a response, errors and an abort of each one's own.
import assert from "node:assert/strict";
import { AbortedError, NetworkError } from "../../src/errors";
import type { Priority } from "../../src/client/http/fair-queue";
import type { ServiceClient } from "../../src/client/service-client";
import { startService, type TestService } from "../support/service";
import { clientOf, DAY, failureOf } from "./clients";

const SITES = /\/v1\/sites$/;

describe("identical requests in flight", () => {
  let service: TestService;
  let client: ServiceClient;

  beforeEach(async () => {
    service = await startService();
    client = clientOf(service, { concurrency: 1 });
    await client.alerts();
  });
  afterEach(async () => {
    client.close();
    await service.close();
  });

  const requests = (): number => service.requestsTo(SITES).length;
  const by = (id: string, priority: Priority = "user"): ServiceClient => client.for({ id, priority });

  it("are made once, with objects of its own for each caller", async () => {
    const lists = await Promise.all([client.sites(), by("other").sites(), client.sites()]);
    assert.equal(requests(), 1);
    const [first, second] = lists;
    assert.deepEqual(first, second);
    assert.notEqual(first?.[0], second?.[0]);
    await client.sites();
    assert.equal(requests(), 2);
  });

  it("are made each by itself if they differ in version, window or retries", async () => {
    await Promise.all([client.sites(), client.sites({ pc1: true }), client.sites({ once: true })]);
    assert.equal(requests(), 3);
    const query = { siteId: "demo-house", ...DAY };
    await Promise.all([
      client.telemetry(query),
      client.telemetry({ ...query, endTime: "2026-02-01T12:00:00Z" }),
    ]);
    assert.equal(service.requestsTo(/telemetry$/).length, 2);
  });

  it("are made anew if the first caller leaves, and aborted with the last one", async () => {
    const hold = service.hold(SITES);
    const first = new AbortController();
    const left = failureOf(client.sites({ signal: first.signal }));
    await hold.arrived();
    const late = client.sites();
    first.abort();
    assert.ok((await left) instanceof AbortedError);
    hold.release();
    assert.ok((await late).length > 0);
    assert.equal(requests(), 2);
    const held = service.hold(SITES);
    const last = new AbortController();
    const call = failureOf(client.sites({ signal: last.signal }));
    await held.arrived();
    last.abort();
    await call;
    await service.idle();
    assert.equal(service.abandoned.to(SITES).length, 1);
    held.release();
  });

  it("fail for each caller", async () => {
    service.fault({ path: SITES, reset: true, times: Number.POSITIVE_INFINITY });
    const [first, second] = await Promise.all([failureOf(client.sites()), failureOf(client.sites())]);
    assert.ok(first instanceof NetworkError && second instanceof NetworkError);
    assert.deepEqual([second.name, second.code, second.message], [first.name, first.code, first.message]);
    assert.equal(requests(), 4);
  });

  it("renew a refused token once, and are then made once again", async () => {
    service.revokeTokens();
    const lists = await Promise.all([client.sites(), client.sites()]);
    assert.deepEqual(lists[0], lists[1]);
    assert.equal(requests(), 2);
    assert.equal(service.requestsTo(/auth$/).length, 2);
  });

  it("do not wait with a less urgent caller", async () => {
    const hold = service.hold(/alerts$/);
    const first = client.alerts();
    await hold.arrived();
    const backlog = by("history", "backlog").sites();
    const scheduled = by("poll", "schedule").site("demo-house");
    const urgent = by("editor").sites();
    hold.release();
    await Promise.all([first, backlog, scheduled, urgent]);
    const paths = service.requests.slice(-2).map(({ path }) => path);
    assert.deepEqual(paths, ["/v1/sites/demo-house", "/v1/sites"]);
  });
});
