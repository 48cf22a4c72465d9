// Tests for the demo service as a server: it cleans up after itself, and lets tests intercept requests.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { once } from "node:events";
import sinon from "sinon";
import { EnergyHistory } from "../../src/demo/energy-history";
import { startDemoService } from "../../src/demo/server";
import { SITES } from "../../src/demo/sites";
import { DEMO_CREDENTIALS, startStrictService } from "../support/demo-service";
import { basic, Reader, send, signIn } from "./reader";

const listeners = () => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;

const start = (now: () => number = Date.now) => startDemoService(now, DEMO_CREDENTIALS);

describe("demo service: server", () => {
  it("listens only on loopback, each instance on its own port", async () => {
    const services = await Promise.all([start(), start()]);
    const urls = services.map(({ baseUrl }) => baseUrl);
    await Promise.all(services.map((service) => service.close()));
    for (const url of urls) assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.notEqual(urls[0], urls[1]);
  });

  it("accepts only its own credentials and token, and refuses what it does not know", async () => {
    const service = await start();
    const status = async (path: string, authorization?: string) =>
      (await send(`${service.baseUrl}${path}`, { headers: authorization ? { authorization } : {} })).status;
    try {
      const { clientId, clientSecret } = DEMO_CREDENTIALS;
      const own = `Bearer ${await signIn(service.baseUrl)}`;
      const others = [undefined, "Bearer undefined", "Bearer other", basic(clientId, clientSecret)];
      for (const other of others) assert.equal(await status("/v1/sites", other), 401);
      for (const other of [undefined, own, basic("other", clientSecret), basic(clientId, "other")])
        assert.equal(await status("/v1/auth", other), 401);
      assert.equal(await status("/v1/sites/nobody", own), 404);
      assert.equal(await status("/v1/sites/%E0%A4", own), 500);
      assert.equal(await status("/v1/sites", own), 200);
    } finally {
      await service.close();
    }
  });

  it("does not hold the event loop while the days before are summed up", async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    // Each day takes longer than a turn may.
    let elapsed = 0;
    const clock = sinon.stub(performance, "now").callsFake(() => (elapsed += 1000));
    try {
      count();
      const [site] = SITES;
      const [system] = site?.systems ?? [];
      assert.ok(site && system);
      await new EnergyHistory(site, system).prepare(Date.UTC(2024, 3, 1));
    } finally {
      clock.restore();
      isDone = true;
    }
    assert.ok(turns > 90, `${turns} turns`);
  });

  it("does not start on a port that is in use", async () => {
    const first = await startStrictService();
    try {
      await assert.rejects(startStrictService({ port: Number(new URL(first.baseUrl).port) }), /EADDRINUSE/);
    } finally {
      await first.close();
    }
  });

  it("closes immediately, aborts open requests, and can be closed twice", async () => {
    const before = listeners();
    const service = await startStrictService({ intercept: () => new Promise(() => undefined) });
    const socket = connect(Number(new URL(service.baseUrl).port), "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write("GET /v1/sites HTTP/1.1\r\nHost: demo\r\n\r\n");
    const cut = new Promise((resolve) => socket.once("close", resolve));
    const waiting = assert.rejects(fetch(`${service.baseUrl}/v1/sites`));
    await new Promise(setImmediate);
    await service.close();
    await Promise.all([cut, waiting, service.close()]);
    assert.equal(listeners(), before);
    await assert.rejects(fetch(`${service.baseUrl}/v1/sites`));
  });

  it("responds with 500 and continues when a hook fails", async () => {
    let failing = true;
    const service = await startStrictService({
      intercept: () => {
        if (failing) throw new Error("broken hook");
        return false;
      },
    });
    try {
      const answer = await send<{ error: { message: string } }>(`${service.baseUrl}/v1/sites`);
      assert.equal(answer.status, 500);
      assert.ok(!answer.body.error.message.includes("hook"));
      failing = false;
      assert.equal((await (await Reader.of(service)).sites()).length, 6);
    } finally {
      await service.close();
    }
  });
});
