// Tests for a single exchange: what the service receives, limits on time and size, and broken responses.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import sinon from "sinon";
import { AbortedError, EnergyError } from "../../../src/errors";
import type { ServiceClient } from "../../../src/client/service-client";
import { VERSION } from "../../../src/version";
import { startService, type TestService } from "../../support/service";
import { clientOf, failureOf, signalled, differentReads, passTimeouts } from "../clients";

const SITES = /\/v1\/sites$/;

describe("transport", () => {
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

  async function failWith(fault: object, changes: Parameters<typeof clientOf>[1] = {}): Promise<EnergyError> {
    service.fault({ path: SITES, times: Infinity, ...fault });
    const failing = clientOf(service, changes);
    const error = await failureOf(failing.sites());
    failing.close();
    return error;
  }
  const attempts = (): number => service.requestsTo(SITES).length;

  it("identifies itself, and accepts JSON, compressed or not", async () => {
    await client.sites();
    const { headers } = service.requestsTo(SITES)[0] ?? assert.fail();
    assert.equal(headers["user-agent"], `energy-sites-node-red/${VERSION} (@energy-sites/node-red)`);
    assert.equal(headers.accept, "application/json");
    assert.match(headers["accept-encoding"] ?? "", /gzip/);
    assert.match(headers.authorization ?? "", /^Bearer \S+$/);
    assert.equal(headers["content-type"], undefined);
  });

  it("keeps the connection alive", async () => {
    const ports = new Set<number | undefined>();
    service.fault({
      path: SITES,
      times: 3,
      respond: (request, response) => {
        ports.add(request.socket.remotePort);
        response.end("[]");
      },
    });
    for (let count = 0; count < 3; count++) await client.sites();
    assert.equal(ports.size, 1);
  });

  for (const [name, fault] of Object.entries({
    "no response": { delayMs: 60_000 },
    "a body that stalls": { stall: true },
    "a body that drips endlessly": { drip: true },
  })) {
    it(`times out on ${name}, and retries once`, async () => {
      const clock = sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const failing = failWith(fault, { timeoutSeconds: 20 });
      await passTimeouts(clock, () => attempts(), 2);
      const error = await failing;
      assert.equal(error.code, "ENERGY_TIMEOUT");
      assert.match(error.message, /in 20 s/);
      assert.equal(attempts(), 2);
    });
  }

  it("does not count time in the queue toward the timeout", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sequential = clientOf(service, { concurrency: 1, timeoutSeconds: 10 });
    await sequential.alerts();
    let hold = service.hold(/telemetry$/);
    const reads = Promise.all(differentReads(3, (query) => sequential.telemetry(query)));
    for (let sent = 1; sent <= 3; sent += 1) {
      await hold.arrived();
      assert.equal(service.requestsTo(/telemetry$/).length, sent);
      await clock.tickAsync(8000);
      const answered = hold;
      hold = service.hold(/telemetry$/);
      answered.release();
    }
    assert.equal((await reads).length, 3);
    sequential.close();
  });

  it("counts what waits for a pause to end toward the minute in which it is sent", async () => {
    const patient = clientOf(service, { timeoutSeconds: 3600 });
    await patient.sites();
    const clock = sinon.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    service.fault({ path: SITES, status: 429, headers: { "retry-after": "55" } });
    const paused = patient.sites();
    await service.answered.reach(SITES, 2);
    await service.idle();
    const dialogs = patient.forDialogs();
    const reads = differentReads(40, (query) => dialogs.telemetry(query));
    const ended = Promise.allSettled(reads);
    const sent = (): number => service.requestsTo(/telemetry$/).length;
    await clock.tickAsync(55_000);
    while (sent() < 30) await service.idle();
    await clock.tickAsync(10_000);
    await service.idle();
    assert.equal(sent(), 30);
    patient.close();
    await ended;
    await paused;
  });

  it("retries a request if the connection breaks, with four attempts in all", async () => {
    const error = await failWith({ reset: true });
    assert.equal(error.code, "ENERGY_NETWORK");
    assert.match(error.message, /Connection interrupted\. .*\(ECONNRESET, /);
    assert.equal(attempts(), 4);
  });

  it("does not retry a request that is to be sent once", async () => {
    service.fault({ path: SITES, times: Infinity, status: 503 });
    const error = await failureOf(client.sites({ once: true }));
    assert.deepEqual([error.details.statusCode, attempts()], [503, 1]);
  });

  it("retries a request if the response is truncated", async () => {
    service.fault({
      path: SITES,
      respond: (_request, response) => {
        response.writeHead(200, { "content-length": 1000 });
        response.write("[", () => response.destroy());
      },
    });
    assert.ok((await client.sites()).length > 0);
    assert.equal(attempts(), 2);
  });

  for (const [name, respond, text] of [
    [
      "hangs up without a response",
      (request) => request.socket.end(),
      /Connection interrupted\. .*\(UND_ERR_SOCKET, /,
    ],
    [
      "responds in another protocol",
      (request) => request.socket.end("220 mail.example ESMTP\r\n"),
      /The response is not HTTP\. .*\(HTTP_PARSER, /,
    ],
    [
      "responds with huge headers",
      (_request, response) => response.writeHead(200, { "x-large": "x".repeat(20_000) }).end("[]"),
      /headers are too large\. .*\(UND_ERR_HEADERS_OVERFLOW, /,
    ],
  ] as [string, (request: http.IncomingMessage, response: http.ServerResponse) => unknown, RegExp][]) {
    it(`reports that the service ${name}`, async () => {
      const error = await failWith({ respond });
      assert.equal(error.code, "ENERGY_NETWORK");
      assert.match(error.message, text);
      assert.equal(attempts(), 4);
    });
  }

  it("reports a refused connection", async () => {
    const gone = await startService();
    await gone.close();
    const lost = clientOf(gone);
    const error = await failureOf(lost.sites());
    lost.close();
    assert.equal(error.code, "ENERGY_NETWORK");
    assert.match(
      error.message,
      /^Connection refused\. Check the base URL.*\(ECONNREFUSED, 127\.0\.0\.1:\d+\)$/,
    );
  });

  for (const [name, fault, text] of [
    [
      "an HTML page",
      { body: "<!doctype html><p>Sign in</p>", contentType: "text/html" },
      /An HTML page .*Check the base URL/,
    ],
    ["an empty response", { body: "" }, /An empty response/],
    ["plain text", { body: "maintenance", contentType: "text/plain" }, /Plain text/],
    ["truncated JSON", { truncate: true }, /cut off after \d+ characters/],
    ["faulty JSON", { body: "{data: []}" }, /Invalid JSON/],
    ["no content", { status: 204, body: "" }, /An empty response/],
  ] as const) {
    it(`rejects ${name} with ENERGY_RESPONSE, without a retry`, async () => {
      const error = await failWith(fault);
      assert.equal(error.code, "ENERGY_RESPONSE");
      assert.match(error.message, text);
      assert.equal(attempts(), 1);
    });
  }

  it("reads JSON behind a byte order mark", async () => {
    service.fault({ path: SITES, body: '\uFEFF[{"siteId": "a"}]' });
    assert.equal((await client.sites())[0]?.siteId, "a");
  });

  for (const status of [301, 302, 307, 308]) {
    it(`does not follow a redirect (${status}), so that the token goes nowhere else`, async () => {
      const other = await startService();
      const error = await failWith({ status, headers: { location: `${other.baseUrl}/v1/sites` } });
      await other.close();
      assert.equal(error.code, "ENERGY_HTTP");
      assert.equal(error.details.statusCode, status);
      assert.match(error.message, /Redirected .*Enter the final address as base URL/);
      assert.equal(other.requests.length, 0);
      assert.equal(attempts(), 1);
    });
  }

  it("aborts a request with its signal", async () => {
    service.fault({ path: SITES, stall: true });
    const abort = new AbortController();
    const call = failureOf(client.sites({ signal: abort.signal }));
    setTimeout(() => abort.abort(), 50);
    assert.ok((await call) instanceof AbortedError);
    assert.ok((await failureOf(client.sites({ signal: abort.signal }))) instanceof AbortedError);
  });

  it("leaves no listeners or timers behind", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { signal } = new AbortController();
    await Promise.all([client.sites({ signal }), client.alerts({ signal })]);
    service.fault({ path: SITES, status: 404 });
    await failureOf(client.sites({ signal }));
    assert.deepEqual(getEventListeners(signal, "abort"), []);
    client.close();
    // undici's internal timer stops within two seconds of the last connection.
    for (let ticks = 0; ticks < 4; ticks += 1) {
      await service.idle();
      await clock.tickAsync(500);
    }
    assert.equal(clock.countTimers(), 0);
    clock.restore();
  });

  it("aborts everything on close, and leaves no socket", async () => {
    const open = new Set<object>();
    const arrived = signalled();
    const server = http.createServer((request, response) => {
      if (request.url === "/v1/auth") response.end('{"access_token": "some-token"}');
      else if (request.url?.endsWith("/alerts")) response.end("[]");
      else arrived.resolve();
    });
    const emptied = signalled();
    server.on("connection", (socket) => {
      open.add(socket);
      socket.on("close", () => {
        open.delete(socket);
        if (open.size === 0) emptied.resolve();
      });
    });
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const closing = clientOf({ ...service, baseUrl });
    await Promise.all([closing.alerts(), closing.siteAlerts("demo-house")]);
    const call = failureOf(closing.sites());
    await arrived.promise;
    assert.equal(open.size, 2);
    closing.close();
    closing.close();
    assert.ok((await call) instanceof AbortedError);
    assert.ok((await failureOf(closing.sites())) instanceof AbortedError);
    await emptied.promise;
    await new Promise((done) => server.close(done));
  });
});
