// The demo service: serves the whole service interface over HTTP on the loopback interface, simulated inside the package.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { PREVIEW_VERSION } from "../client/connection";
import { answerTo, type EndpointOptions } from "./endpoints";
import { readPath, Refusal } from "./request";
import { TokenStore, type Credentials } from "./tokens";

export const DEMO_CREDENTIALS = { clientId: "demo-client", clientSecret: "demo-secret" };

export interface DemoOptions extends EndpointOptions {
  /** Lets tests send a successful body in another shape: another envelope, in pages, with further fields. */
  shape?: (body: unknown, url: URL) => unknown;
  /** The service's clock, in milliseconds since the epoch. */
  now?: () => number;
  /** The only ones that are accepted. Default: those of the demo. */
  credentials?: Credentials;
  /** Default 0: any free port. */
  port?: number;
  /** Called first for every request; returns true if it responds itself, now or later. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
}

export interface DemoService {
  baseUrl: string;
  /** Rejects all tokens issued so far. */
  revokeTokens(): void;
  /** Stops at once, closing open connections. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/** Resolves once the service accepts requests. Rejects if the port is in use. */
export async function startDemoService(options: DemoOptions = {}): Promise<DemoService> {
  const now = options.now ?? (() => Date.now());
  const tokens = new TokenStore(now, options.credentials ?? DEMO_CREDENTIALS);

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    // The service's own clock, which tests set.
    response.setHeader("date", new Date(now()).toUTCString());
    try {
      if (await options.intercept?.(request, response)) return;
      const body = await respond(request, options, tokens, now());
      send(response, 200, options.shape?.(body, new URL(request.url ?? "", `http://${HOST}`)) ?? body);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else refuse(response, error);
    }
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, HOST, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;

  return {
    baseUrl: `http://${HOST}:${port}`,
    revokeTokens: () => tokens.revokeAll(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The body of the response. Throws Refusal. */
function respond(request: IncomingMessage, options: DemoOptions, tokens: TokenStore, now: number): unknown {
  // Not parsed as a URL, which would resolve dots that a client forgot to encode.
  const [path = "", query] = (request.url ?? "").split("?", 2);
  if (path === "/v1/auth") {
    requireMethod(request, "POST");
    return tokens.issue(request);
  }
  tokens.check(request);
  requireMethod(request, "GET");
  const pc1 = request.headers["vendorapi-version"] === PREVIEW_VERSION;
  return answerTo({ path: readPath(path), query: new URLSearchParams(query), pc1, now }, options);
}

function requireMethod(request: IncomingMessage, method: string): void {
  if (request.method !== method) throw new Refusal(405, "METHOD_NOT_ALLOWED", `Use ${method}`);
}

function refuse(response: ServerResponse, error: unknown): void {
  const { status, code, message } =
    error instanceof Refusal ? error : new Refusal(500, "INTERNAL", "The demo service failed");
  send(response, status, { error: { code, message } });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}
