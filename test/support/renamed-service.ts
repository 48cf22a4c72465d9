// A service with sites of its own: the simulated sites under other ids, as in the account of a user.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { startService } from "./service";

const DEMO = "demo-";

export interface RenamedService {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** The id that a site or system of the demo has here. */
  renamed(id: string): string;
  close(): Promise<void>;
}

/** @param prefix what the ids begin with, such as `own-`; those of the demo are unknown here */
export async function startRenamedService(prefix: string): Promise<RenamedService> {
  const service = await startService();
  const renamed = (text: string): string => text.replaceAll(DEMO, prefix);

  const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? "").replaceAll(DEMO, "unknown-").replaceAll(prefix, DEMO);
    const { method = "GET" } = request;
    const body = method === "POST" ? { body: await readText(request) } : {};
    const answer = await fetch(service.baseUrl + path, {
      method,
      headers: passedOn(request.headers),
      ...body,
    });
    const text = renamed(await answer.text());
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(text);
  };
  const server = createServer((request, response) => {
    passOn(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clientId: service.clientId,
    clientSecret: service.clientSecret,
    renamed,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    },
  };
}

/** Without the headers that belong to one connection. */
function passedOn(headers: IncomingHttpHeaders): [string, string][] {
  const ofConnection = ["host", "connection", "content-length", "transfer-encoding", "accept-encoding"];
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" && !ofConnection.includes(name) ? [[name, value]] : [],
  );
}
