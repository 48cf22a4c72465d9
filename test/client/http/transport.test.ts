// One exchange and what can go wrong with it: what the service receives, limits in time and size, and broken answers.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import sinon from "sinon";
import { AbortedError, EnergyError } from "../../../src/errors";
import type { ServiceClient } from "../../../src/client/service-client";
import { VERSION } from "../../../src/version";
import type { TestService } from "../../support/service";
import { clientOf, failureOf, signalled, startFreshService } from "../clients";

const SITES = /\/v1\/sites$/;

describe("transport", () => {
  let service: TestService;
  let client: ServiceClient;

  beforeEach(async () => {
    service = await startFreshService();
    client = clientOf(service);
    sinon.stub(Math, "random").returns(0);
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
  const tries = (): number => service.requestsTo(SITES).length;

  it("says what it is, wants JSON and takes it compressed", async () => {
    await client.sites();
    const { headers } = service.requestsTo(SITES)[0] ?? assert.fail();
    assert.equal(headers["user-agent"], `energy-sites-node-red/${VERSION} (@energy-sites/node-red)`);
    assert.equal(headers.accept, "application/json");
    assert.match(headers["accept-encoding"] ?? "", /gzip/);
    assert.match(headers.authorization ?? "", /^Bearer \S+$/);
    assert.equal(headers["content-type"], undefined);
  });

  it("keeps its connection alive", async () => {
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
    "no answer at all": { delayMs: 60_000 },
    "a body that stalls": { stall: true },
    "a body that drips without end": { drip: true },
  })) {
    it(`ends ${name} at the timeout, and does not ask again`, async () => {
      const error = await failWith(fault, { timeoutSeconds: 0.1 });
      assert.equal(error.code, "ENERGY_TIMEOUT");
      assert.match(error.message, /within 0.1 s/);
      assert.equal(tries(), 1);
    });
  }

  it("does not count waiting for a turn as time of the exchange", async () => {
    const narrow = clientOf(service, { concurrency: 1, timeoutSeconds: 0.15 });
    await narrow.alerts();
    service.fault({ path: SITES, delayMs: 80, times: 3 });
    const answers = await Promise.all([narrow.sites(), narrow.sites(), narrow.sites()]);
    narrow.close();
    assert.equal(answers.length, 3);
  });

  it("repeats a request whose connection broke, three tries in all", async () => {
    const error = await failWith({ reset: true });
    assert.equal(error.code, "ENERGY_NETWORK");
    assert.match(error.message, /the connection was interrupted \(ECONNRESET\)\.$/);
    assert.equal(tries(), 3);
  });

  it("repeats a request whose answer broke off", async () => {
    service.fault({
      path: SITES,
      respond: (_request, response) => {
        response.writeHead(200, { "content-length": 1000 });
        response.write("[", () => response.destroy());
      },
    });
    assert.ok((await client.sites()).length > 0);
    assert.equal(tries(), 2);
  });

  for (const [name, respond, text] of [
    [
      "hangs up without an answer",
      (request) => request.socket.end(),
      /connection was interrupted \(UND_ERR_SOCKET\)\.$/,
    ],
    [
      "answers in another protocol",
      (request) => request.socket.end("220 mail.example ESMTP\r\n"),
      /the answer is not HTTP \(HTTP_PARSER\)\.$/,
    ],
    [
      "answers with huge headers",
      (_request, response) => response.writeHead(200, { "x-large": "x".repeat(20_000) }).end("[]"),
      /the headers of the answer are too large \(UND_ERR_HEADERS_OVERFLOW\)\.$/,
    ],
  ] as [string, (request: http.IncomingMessage, response: http.ServerResponse) => unknown, RegExp][]) {
    it(`says so when a service ${name}`, async () => {
      const error = await failWith({ respond });
      assert.equal(error.code, "ENERGY_NETWORK");
      assert.match(error.message, text);
      assert.equal(tries(), 3);
    });
  }

  it("says that nothing listens", async () => {
    const gone = await startFreshService();
    await gone.close();
    const lost = clientOf(gone);
    const error = await failureOf(lost.sites());
    lost.close();
    assert.equal(error.code, "ENERGY_NETWORK");
    assert.match(
      error.message,
      /^The request to 127.0.0.1:\d+ failed: connection refused, check the address \(ECONNREFUSED\)\.$/,
    );
  });

  for (const [name, fault, text] of [
    [
      "an HTML page",
      { body: "<!doctype html><p>Sign in</p>", contentType: "text/html" },
      /an HTML page .*Check the base URL/,
    ],
    ["an empty answer", { body: "" }, /an empty answer/],
    ["plain text", { body: "maintenance", contentType: "text/plain" }, /plain text/],
    ["truncated JSON", { truncate: true }, /breaks off after \d+ characters/],
    ["faulty JSON", { body: "{data: []}" }, /invalid JSON/],
    ["no content", { status: 204, body: "" }, /an empty answer/],
  ] as const) {
    it(`refuses ${name} with ENERGY_RESPONSE, without asking again`, async () => {
      const error = await failWith(fault);
      assert.equal(error.code, "ENERGY_RESPONSE");
      assert.match(error.message, text);
      assert.equal(tries(), 1);
    });
  }

  for (const status of [301, 302, 307, 308]) {
    it(`does not follow a redirect (${status}): the token goes nowhere else`, async () => {
      const other = await startFreshService();
      const error = await failWith({ status, headers: { location: `${other.baseUrl}/v1/sites` } });
      await other.close();
      assert.equal(error.code, "ENERGY_HTTP");
      assert.equal(error.details.statusCode, status);
      assert.match(error.message, /redirected .*not followed. Enter the final address as base URL/);
      assert.equal(other.requests.length, 0);
      assert.equal(tries(), 1);
    });
  }

  it("gives a request up when its signal aborts", async () => {
    service.fault({ path: SITES, stall: true });
    const abort = new AbortController();
    const call = failureOf(client.sites({ signal: abort.signal }));
    setTimeout(() => abort.abort(), 50);
    assert.ok((await call) instanceof AbortedError);
    assert.ok((await failureOf(client.sites({ signal: abort.signal }))) instanceof AbortedError);
  });

  it("leaves no listener and no timer behind", async () => {
    const clock = sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { signal } = new AbortController();
    await Promise.all([client.sites({ signal }), client.alerts({ signal })]);
    service.fault({ path: SITES, status: 404 });
    await failureOf(client.sites({ signal }));
    assert.equal(getEventListeners(signal, "abort").length, 0);
    client.close();
    // undici's own clock stops within two seconds of the last connection.
    for (let ticks = 0; ticks < 4; ticks += 1) {
      await new Promise(setImmediate);
      await clock.tickAsync(500);
    }
    assert.equal(clock.countTimers(), 0);
    clock.restore();
  });

  it("gives everything up on close, and leaves no socket", async () => {
    const open = new Set<object>();
    const arrived = signalled();
    const server = http.createServer((request, response) => {
      if (request.url === "/v1/auth") response.end('{"access_token": "some-token"}');
      else if (request.url === "/v1/alerts") response.end("[]");
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
    await Promise.all([closing.alerts(), closing.alerts()]);
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
