// A service with any number of sites, in a process of its own: strict about requests, and light, so that it is never the limit.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * How many sites the service has, how much later its clock is than that of the machine, or how long it takes for records, in
 * milliseconds.
 */
export type ServiceCommand = { sites: number } | { ahead: number } | { delay: number };

export interface ServiceReply {
  baseUrl: string;
  /** Requests since the last command. */
  requests: Record<string, number>;
  /** Requests for records since the last command, by version header. */
  workers: Record<string, number>;
  /** Requests since the last command that a strict service refuses. */
  refused: string[];
}

const TOKEN = "bench-token";
const STEP = 300_000;
const DAY = 86_400_000;

let ahead = 0;
let delay = 0;
let siteIds = new Set<string>();
let list = "";
let requests: Record<string, number> = {};
let workers: Record<string, number> = {};
let refused: string[] = [];

const now = (): number => Date.now() + ahead;

function describe(
  index: number,
): { siteId: string; systems: { systemId: string }[] } & Record<string, unknown> {
  const siteId = `demo-site-${String(index).padStart(5, "0")}`;
  const solar = { inverterType: "VENDOR", inverterCapacityPower: 8200 };
  const system = { systemId: `${siteId}-1`, systemGeneration: "PC2", capabilities: { solar } };
  return { siteId, siteName: `Site ${index}`, timezone: "Europe/Berlin", systems: [system] };
}

function record(start: number, index: number): object {
  const lifetime = 1_000_000 + Math.floor(start / STEP) * 10 + index;
  return {
    startTime: new Date(start).toISOString(),
    endTime: new Date(start + STEP).toISOString(),
    grid: { energy: 10, power: 120, importedEnergy: 10, exportedEnergy: 0, lifetimeImportedEnergy: lifetime },
    solar: { energy: 13, power: 156, lifetimeEnergy: lifetime },
    consumption: { energy: 24.75, power: 297, lifetimeEnergy: lifetime },
    storage: { energy: 11.75, power: 141, stateOfCharge: 47.32, remainingEnergy: 6388.2, totalEnergy: 13500 },
  };
}

/** The records of the window that have ended. */
function telemetry(siteId: string, query: URLSearchParams): object[] | string {
  const [from, to] = ["startTime", "endTime"].map((name) => Date.parse(query.get(name) ?? ""));
  if (from === undefined || to === undefined || !(from < to) || to - from > DAY) return "window";
  const index = Number(siteId.slice(-5));
  const records: object[] = [];
  const first = Math.floor(from / STEP) * STEP;
  for (let start = first; start < to && start + STEP <= now(); start += STEP)
    if (start + STEP > from) records.push(record(start, index));
  return records;
}

function answer({ method, url = "", headers }: IncomingMessage): { kind: string; body?: string } {
  if (url === "/v1/auth") {
    const isRight = method === "POST" && headers.authorization?.startsWith("Basic ") === true;
    const token = { access_token: TOKEN, token_type: "Bearer", expires_in: 3600 };
    return { kind: "auth", ...(isRight && { body: JSON.stringify(token) }) };
  }
  if (method !== "GET" || headers.authorization !== `Bearer ${TOKEN}`) return { kind: "unauthorized" };
  if (url === "/v1/sites") return { kind: "sites", body: list };
  const [, id = "", query = ""] = /^\/v1\/sites\/([^/?]+)\/telemetry\?(.*)$/.exec(url) ?? [];
  if (!siteIds.has(id)) return { kind: "unknown" };
  const data = telemetry(id, new URLSearchParams(query));
  return { kind: "telemetry", ...(typeof data !== "string" && { body: JSON.stringify({ data }) }) };
}

const server = createServer((request, response) => {
  const { kind, body } = answer(request);
  requests[kind] = (requests[kind] ?? 0) + 1;
  if (kind === "telemetry") {
    const worker = String(request.headers["vendorapi-version"]);
    workers[worker] = (workers[worker] ?? 0) + 1;
  }
  if (body === undefined) refused.push(`${request.method} ${request.url}`);
  const content = Buffer.from(body ?? "{}");
  const headers = { "content-type": "application/json", "content-length": content.length };
  const respond = (): void => {
    response.writeHead(body === undefined ? 422 : 200, { ...headers, date: new Date(now()).toUTCString() });
    response.end(content);
  };
  if (kind === "telemetry" && delay > 0) setTimeout(respond, delay);
  else respond();
});
server.keepAliveTimeout = 60_000;

process.on("message", (command: ServiceCommand) => {
  if ("ahead" in command) ahead = command.ahead;
  if ("delay" in command) delay = command.delay;
  if ("sites" in command) {
    const sites = Array.from({ length: command.sites }, (_, index) => describe(index));
    siteIds = new Set(sites.map(({ siteId }) => siteId));
    list = JSON.stringify({ data: sites });
  }
  const { port } = server.address() as AddressInfo;
  process.send?.({ baseUrl: `http://127.0.0.1:${port}`, requests, workers, refused } satisfies ServiceReply);
  requests = {};
  workers = {};
  refused = [];
});
server.listen(0, "127.0.0.1", () => process.send?.("ready"));
