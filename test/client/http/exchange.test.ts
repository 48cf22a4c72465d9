// Tests for opening the connections of an account: once for all requests that wait, and never after closing.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import type { ConnectionSettings } from "../../../src/client/connection";
import { Exchange } from "../../../src/client/http/exchange";
import type { HttpRequest } from "../../../src/client/http/request";
import { RuntimeClock } from "../../../src/clock";
import { AbortedError, ConfigError, errorText } from "../../../src/errors";
import { settingsOf } from "../clients";

describe("exchange", () => {
  let server: http.Server;
  let open: Set<Socket>;
  let connections: number;
  let settings: ConnectionSettings;
  let exchange: Exchange;
  let closing: AbortController;
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
    closing = new AbortController();
    exchange = new Exchange(settings, new RuntimeClock().open(), closing.signal);
  });

  afterEach(async () => {
    closing.abort();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  const request = (): HttpRequest => ({
    what: errorText("whatSites"),
    method: "GET",
    url: `${settings.baseUrl}/v1/sites`,
    headers: {},
  });

  it("opens one pool for all who send before it is open, and closes all of its connections", async () => {
    await Promise.all([exchange.send(request(), signal), exchange.send(request(), signal)]);
    await exchange.send(request(), signal);
    assert.equal(open.size, 2);
    const closed = [...open].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    closing.abort();
    await Promise.all(closed);
    assert.equal(connections, 2);
  });

  it("remembers no connection that is over", async () => {
    const listeners: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      await exchange.send(request(), signal);
      listeners.push(getEventListeners(closing.signal, "abort").length);
      const closed = [...open].map((socket) => new Promise((resolve) => socket.once("close", resolve)));
      server.closeAllConnections();
      await Promise.all(closed);
      await eventLoopTurn();
    }
    assert.equal(connections, 3);
    assert.equal(new Set(listeners).size, 1);
  });

  it("connects to nothing when it is closed before its pool is open", async () => {
    const sending = exchange.send(request(), signal);
    closing.abort();
    await assert.rejects(sending, AbortedError);
    for (let turns = 0; turns < 10; turns += 1) await eventLoopTurn();
    assert.equal(connections, 0);
  });

  it("tries again after a proxy that cannot be used", async () => {
    const proxy = { url: "ftp://127.0.0.1", noProxy: [] };
    exchange = new Exchange(
      { ...settings, baseUrl: "https://service.example", proxy },
      new RuntimeClock().open(),
      closing.signal,
    );
    for (let attempts = 0; attempts < 2; attempts += 1)
      await assert.rejects(exchange.send(request(), signal), ConfigError);
  });
});
