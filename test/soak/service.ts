// The simulated service of a soak: real HTTP on virtual time, with the records of the world and the planned faults.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { withhold } from "../support/idle";
import type { AlertBoard } from "./alert-board";
import { Chance, numberOf } from "./chance";
import type { Fault, Faults } from "./faults";
import type { Journal } from "./journal";
import { TOKEN_SECONDS, type Tokens } from "./tokens";
import { RGM_SITE, type World } from "./world";

interface Parts {
  seed: number;
  world: World;
  faults: Faults;
  tokens: Tokens;
  alerts: AlertBoard;
  journal: Journal;
  now: () => number;
}

export interface SoakService {
  baseUrl: string;
  /** Requests so far, and a number that tells apart any two courses of requests. */
  requests: number;
  digest: number;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
/** Some responses take a while, so that requests are under way when other things happen. In milliseconds. */
const SLOW_SHARE = 0.15;
const SLOWEST = 900;
const [LATENCY] = [201] as const;

export async function startSoakService(parts: Parts): Promise<SoakService> {
  const { faults, journal, now } = parts;
  const chance = new Chance(parts.seed ^ 0x5e4);
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    service.requests += 1;
    service.digest = (service.digest + numberOf(`${request.url} ${now()}`)) | 0;
    request.resume();
    response.setHeader("date", new Date(now()).toUTCString());
    const question = [LATENCY, numberOf(path), now() % 2 ** 31];
    const latency = chance.of(...question) < SLOW_SHARE ? chance.between(50, SLOWEST, ...question) : 0;
    const answer = (): void => {
      const fault = faults.of(path, now());
      if (!fault) return respond(parts, path, request, response);
      journal.noteFault(fault);
      if (fault.kind === "status" && fault.status === 401 && !path.endsWith("/auth")) parts.tokens.doubt();
      fail(fault, request, response);
    };
    if (latency > 0) later(latency, response, answer);
    else answer();
  });
  // Timeouts of the server would pass in real time.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const service: SoakService = {
    baseUrl: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    requests: 0,
    digest: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

/** Nothing is under way while the response waits for virtual time. */
function later(ms: number, response: ServerResponse, answer: () => void): void {
  const end = withhold();
  const timer = setTimeout(() => {
    response.off("close", cancel);
    end();
    answer();
  }, ms);
  const cancel = (): void => {
    clearTimeout(timer);
    end();
  };
  response.once("close", cancel);
}

function fail(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
  switch (fault.kind) {
    case "reset":
      request.socket.resetAndDestroy();
      return;
    case "silence":
      response.once("close", withhold());
      return;
    case "text":
      send(response, 200, fault.body, { "content-type": fault.contentType });
      return;
    case "status": {
      const { status, retryAfter } = fault;
      const headers: Record<string, string> =
        retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
      sendJson(response, status, { error: { code: "SOAK", message: "a fault of the soak" } }, headers);
    }
  }
}

function respond(parts: Parts, path: string, request: IncomingMessage, response: ServerResponse): void {
  const { tokens, world, alerts, now, journal } = parts;
  if (path === "/v1/auth") {
    const { token, onDelivered } = tokens.issue();
    response.once("close", () => response.writableFinished && onDelivered());
    const created = new Date(now()).toISOString();
    sendJson(response, 200, {
      access_token: token,
      token_type: "Bearer",
      expires_in: TOKEN_SECONDS,
      created_at: created,
    });
    return;
  }
  if (!tokens.accepts(request.headers.authorization)) {
    journal.note("ENERGY_AUTH");
    sendJson(response, 401, { error: { code: "TOKEN", message: "the token is not valid" } });
    return;
  }
  const [, , , siteId = "", endpoint = ""] = path.split("/");
  if (path === "/v1/sites") sendJson(response, 200, { sites: world.sites });
  else if (path === "/v1/alerts") sendJson(response, 200, { alerts: alerts.listed(now()) });
  else if (endpoint === "telemetry" || endpoint === "rgm-telemetry")
    sendRecords(parts, siteId, endpoint, request, response);
  else if (endpoint === "") {
    const site = world.sites.find((one) => one.siteId === siteId);
    const devices = siteId === `site-${RGM_SITE}` ? [{ deviceClass: "METER" }] : [];
    sendJson(response, site ? 200 : 404, { ...site, devices });
  } else sendJson(response, 404, {});
}

function sendRecords(
  parts: Parts,
  siteId: string,
  endpoint: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { world, journal, now } = parts;
  const query = new URL(request.url ?? "", "http://service").searchParams;
  const [from = Number.NaN, to = Number.NaN] = ["startTime", "endTime"].map((name) =>
    Date.parse(query.get(name) ?? ""),
  );
  const series = world.find(
    siteId,
    query.get("systemId") ?? undefined,
    endpoint === "telemetry" ? "telemetry" : "rgm",
  );
  if (!series) return sendJson(response, endpoint === "telemetry" ? 404 : 200, { data: [] });
  if (!(to - from <= 24 * 3_600_000)) return sendJson(response, 400, { error: { code: "RANGE" } });
  const data = world.records(series, from, to, now());
  if (data.some((record) => (record as { startTime: string }).startTime === "soon"))
    journal.note("ENERGY_RESPONSE");
  sendJson(response, 200, { data });
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  send(response, status, JSON.stringify(body), { "content-type": "application/json", ...headers });
}

function send(response: ServerResponse, status: number, text: string, headers: Record<string, string>): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) });
  response.end(text);
}
