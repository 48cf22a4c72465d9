// The demo service: serves the whole service interface over HTTP on the loopback interface, simulated inside the package.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { ConnectionSettings } from "../client/connection";
import { answerTo, Refusal, TOKEN } from "./endpoints";

export type DemoService = Awaited<ReturnType<typeof serve>>;

/** Resolves to the body of the response, or to undefined if it responds itself. Rejects with Refusal for another status. */
export type Responder = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

const HOST = "127.0.0.1";

/** Accepts only these credentials. Resolves once the service accepts requests. */
export function startDemoService(
  now: () => number,
  { clientId, clientSecret }: Pick<ConnectionSettings, "clientId" | "clientSecret">,
): Promise<DemoService> {
  const login = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
  return serve(async (request) => {
    const expected = request.url === "/v1/auth" ? login : `Bearer ${TOKEN}`;
    if (request.headers.authorization !== expected)
      throw new Refusal(401, "UNAUTHORIZED", "The credentials are not valid");
    return answerTo(request, now());
  });
}

/** Rejects if the port is in use; 0 is any that is free. */
export async function serve(respond: Responder, port = 0) {
  const server = createServer((request, response) => {
    respond(request, response).then(
      (body) => body !== undefined && send(response, 200, body),
      (error: unknown) => refuse(response, error),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, resolve);
  });
  const address = server.address();
  return {
    baseUrl: `http://${HOST}:${typeof address === "object" ? address?.port : undefined}`,
    /** Stops at once, closing open connections. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refuse(response: ServerResponse, error: unknown): void {
  const { status, code, message } =
    error instanceof Refusal ? error : new Refusal(500, "INTERNAL", "The demo service failed");
  send(response, status, { error: { code, message } });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.end(JSON.stringify(body));
}
