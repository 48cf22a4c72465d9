// A service with many sites that notes which worker reads what: workers differ in the version header of their account.
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type StrictService, startStrictService } from "./demo-service";
import { MINUTE } from "../../src/time-units";

export interface FleetRead {
  worker: string;
  siteId: string;
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
}

export interface FleetService {
  baseUrl: string;
  /** Every request for records, in the order answered. */
  reads: readonly FleetRead[];
  /** Up to where there are records, in milliseconds since the epoch. */
  dataUntil: number;
  /** Whether a site's records fail. */
  fails: (siteId: string) => boolean;
  /** How many requests have failed so. */
  failures: number;
  /** Rejects all tokens used so far. */
  revokeTokens(): void;
  /** Starts of all records that a site has, in milliseconds. */
  starts(): number[];
  close(): Promise<void>;
}

const STEP = 5 * MINUTE;

/** @param since from when on there are records, in milliseconds since the epoch */
export async function startFleetService(siteIds: readonly string[], since: number): Promise<FleetService> {
  const reads: FleetRead[] = [];
  const first = Math.ceil(since / STEP) * STEP;
  const sites = siteIds.map((siteId) => ({ siteId, systems: [{ systemId: `${siteId}-1` }] }));

  async function telemetry(
    siteId: string,
    request: IncomingMessage,
    query: URLSearchParams,
  ): Promise<object> {
    const from = Date.now();
    // As long as a service takes that is not in the same process.
    await pause(50);
    const [start, end] = ["startTime", "endTime"].map((name) => Date.parse(query.get(name) ?? "")) as [
      number,
      number,
    ];
    const data = fleet
      .starts()
      .filter((time) => time < end && time + STEP > start)
      .map((time) => ({
        startTime: new Date(time).toISOString(),
        endTime: new Date(time + STEP).toISOString(),
        grid: { power: (time / STEP) % 1000 },
      }));
    const worker = String(request.headers["vendorapi-version"]);
    reads.push({ worker, siteId, from, to: Date.now() });
    return { data };
  }

  const used = new Set<string>();
  const revoked = new Set<string>();
  const refuse = (response: ServerResponse, status: number): true => {
    response.writeHead(status).end();
    return true;
  };

  const intercept = async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://service");
    const [, siteId, what] = /\/v1\/sites(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(pathname) ?? [];
    if (!/\/v1\/sites/.test(pathname)) return false;
    const token = request.headers.authorization ?? "";
    if (revoked.has(token)) return refuse(response, 401);
    used.add(token);
    if (siteId !== undefined && fleet.fails(siteId)) {
      fleet.failures += 1;
      return refuse(response, 503);
    }
    let body: object | undefined = { sites };
    if (siteId !== undefined) body = sites.find((site) => site.siteId === siteId);
    if (siteId !== undefined && what !== undefined) body = await telemetry(siteId, request, searchParams);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
    return true;
  };

  const service: StrictService = await startStrictService({ intercept });
  const fleet: FleetService = {
    baseUrl: service.baseUrl,
    reads,
    dataUntil: Date.now(),
    fails: () => false,
    failures: 0,
    revokeTokens() {
      for (const token of used) revoked.add(token);
    },
    starts() {
      const count = Math.max(0, Math.floor((fleet.dataUntil - first) / STEP));
      return Array.from({ length: count }, (_, index) => first + index * STEP);
    },
    close: () => service.close(),
  };
  return fleet;
}
