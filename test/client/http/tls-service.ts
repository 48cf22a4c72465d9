// A small TLS service on `localhost`, with a certificate from a private certificate authority (tls/, valid for 100 years).
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createPrivateKey } from "node:crypto";
import https, { type ServerOptions } from "node:https";
import net from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";

const read = (name: string): Buffer => readFileSync(path.join(__dirname, "tls", name));

export const CA = read("ca.pem");
export const CERT = read("cert.pem");
export const KEY = read("key.pem");
/** Certificates for the same key, which are their own authority. */
export const SELF_SIGNED = read("self-signed.pem");
export const EXPIRED = read("expired.pem");
/** The same key, encrypted with the passphrase `phrase`. */
export const ENCRYPTED_KEY = createPrivateKey(KEY).export({
  type: "pkcs8",
  format: "pem",
  cipher: "aes-256-cbc",
  passphrase: "phrase",
});

export interface TlsService {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** Request paths, in order. */
  requests: string[];
  /** The number of TLS connections so far. */
  connections(): number;
  close(): Promise<void>;
}

export async function startTlsService(options: ServerOptions = {}): Promise<TlsService> {
  const requests: string[] = [];
  let connections = 0;
  const server = https.createServer({ cert: CERT, key: KEY, ...options }, (request, response) => {
    requests.push(request.url ?? "");
    response.end(request.url === "/v1/auth" ? '{"access_token": "some-token"}' : '[{"siteId": "a"}]');
  });
  server.on("secureConnection", () => (connections += 1));
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  return {
    baseUrl: `https://localhost:${(server.address() as AddressInfo).port}`,
    clientId: "test-client",
    clientSecret: `tls-${Math.random()}`,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** Accepts connections and never sends anything. */
export async function startSilentServer(): Promise<{
  port: number;
  connected: Promise<unknown>;
  /** Resolves once the client has closed its connection. */
  emptied: Promise<unknown>;
  close(): Promise<void>;
}> {
  const server = net.createServer();
  const connected = once(server, "connection") as Promise<[net.Socket]>;
  const emptied = connected.then(([socket]) => once(socket.on("error", () => undefined).resume(), "close"));
  await new Promise<void>((done) => void server.listen(0, "localhost", done));
  const { port } = server.address() as AddressInfo;
  return { port, connected, emptied, close: () => new Promise((done) => server.close(() => done())) };
}
