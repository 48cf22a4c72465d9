// Serves the demo service over HTTP on the loopback interface.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Endpoints, type RecordHooks } from "./endpoints";
import { Refusal } from "./refusal";
import { route } from "./router";
import { TokenBook, type Credentials } from "./tokens";

export interface DemoOptions extends RecordHooks {
  /** The service's clock, ms. */
  now?: () => number;
  /** Absent: any pair is accepted that is not empty. */
  credentials?: Credentials;
  /** 0, the default, takes a free one. */
  port?: number;
  /** Sees every request first; true = it has answered, or will. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
}

export interface DemoService {
  baseUrl: string;
  /** Every token issued so far is refused from now on. */
  revokeTokens(): void;
  /** At once: open connections are cut. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

export async function startDemoService(options: DemoOptions = {}): Promise<DemoService> {
  const now = options.now ?? (() => Date.now());
  const tokens = new TokenBook(now, options.credentials);
  const endpoints = new Endpoints(options);

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      if (await options.intercept?.(request, response)) return;
      const body = await route(request, endpoints, tokens, now());
      send(response, 200, body);
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
