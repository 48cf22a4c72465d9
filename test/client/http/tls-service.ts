// A small service behind TLS for `localhost`, with a certificate of an authority that no system knows (tls/, valid for 100 years).
import { readFileSync } from "node:fs";
import https from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";

const read = (name: string): Buffer => readFileSync(path.join(__dirname, "tls", name));

export const CA = read("ca.pem");

export interface TlsService {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** Paths, in order. */
  requests: string[];
  /** How many TLS connections were made. */
  connections(): number;
  close(): Promise<void>;
}

export async function startTlsService(): Promise<TlsService> {
  const requests: string[] = [];
  let connections = 0;
  const server = https.createServer({ cert: read("cert.pem"), key: read("key.pem") }, (request, response) => {
    requests.push(request.url ?? "");
    response.end(request.url === "/v1/auth" ? '{"access_token": "some-token"}' : '[{"siteId": "a"}]');
  });
  server.on("secureConnection", () => connections++);
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
