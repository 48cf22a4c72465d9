// Tests for opening the connections of an account: once for all requests that wait, and never after closing.
import assert from "node:assert/strict";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import type { ConnectionSettings } from "../../../src/client/connection";
import { Exchange } from "../../../src/client/http/exchange";
import type { HttpRequest } from "../../../src/client/http/request";
import { RuntimeClock } from "../../../src/clock";
import { ConfigError, NetworkError } from "../../../src/errors";
import { settingsOf } from "../clients";

describe("exchange", () => {
  let server: http.Server;
  let open: Set<Socket>;
  let connections: number;
  let settings: ConnectionSettings;
  let exchange: Exchange;
  const { signal } = new AbortController();

  beforeEach(async () => {
    open = new Set();
    connections = 0;
    server = http.createServer((_request, response) => response.end("{}"));
    server.keepAliveTimeout = 0;
    server.on("connection", (socket) => {
      connections += 1;
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    });
    await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    settings = settingsOf({ baseUrl, clientId: "", clientSecret: "" });
    exchange = new Exchange(settings, new RuntimeClock().open());
  });

  afterEach(async () => {
    exchange.close();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  const request = (): HttpRequest => ({ method: "GET", url: `${settings.baseUrl}/v1/sites`, headers: {} });

  it("opens one pool for all who send before it is open, and closes all of its connections", async () => {
    await Promise.all([exchange.send(request(), signal), exchange.send(request(), signal)]);
    await exchange.send(request(), signal);
    assert.equal(open.size, 2);
    const closed = [...open].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    exchange.close();
    await Promise.all(closed);
    assert.equal(connections, 2);
  });

  it("connects to nothing when it is closed before its pool is open", async () => {
    const sending = exchange.send(request(), signal);
    exchange.close();
    await assert.rejects(sending, NetworkError);
    for (let turns = 0; turns < 10; turns += 1) await eventLoopTurn();
    assert.equal(connections, 0);
  });

  it("tries again after a proxy that cannot be used", async () => {
    const proxy = { url: "ftp://127.0.0.1", noProxy: [] };
    exchange = new Exchange(
      { ...settings, baseUrl: "https://service.example", proxy },
      new RuntimeClock().open(),
    );
    for (let attempts = 0; attempts < 2; attempts += 1)
      await assert.rejects(exchange.send(request(), signal), ConfigError);
  });
});
