// Runs the demo service in its own process and caches its responses. Generating a day of records takes longer than
// reading it, so without a cache the benchmark would measure the generator.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { startDemoService } from "../../src/demo";

/** The clock is fixed, so that every round reads the same records. */
async function serve(now: number): Promise<string> {
  const demo = await startDemoService({ now: () => now });
  const answers = new Map<string, Buffer>();

  async function answer({ method = "GET", url = "", headers }: IncomingMessage): Promise<Buffer> {
    const known = answers.get(url);
    if (known) return known;
    const { authorization = "" } = headers;
    const response = await fetch(demo.baseUrl + url, { method, headers: { authorization } });
    if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
    const body = Buffer.from(await response.arrayBuffer());
    if (method === "GET") answers.set(url, body);
    return body;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await answer(request);
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

process.on("message", (now: number) => {
  void serve(now).then((baseUrl) => process.send?.(baseUrl));
});
