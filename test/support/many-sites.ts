// A service with any number of sites, each with a current record, for tests of runs over many systems.
import type { IncomingMessage, ServerResponse } from "node:http";
import { MINUTE } from "../../src/time-units";
import type { TestService } from "./service";

export interface ManySites {
  /** The listed sites, which a test may change. */
  ids: string[];
  /** As each of them is listed; one without an id by default. */
  systems: object[];
  /** The status of a response to a request for records; 200 by default. */
  statusOf: (siteId: string) => number;
  /** How many records each site has. */
  records: number;
  /** The status of the list. */
  listStatus: number;
  /** The sites whose records were requested, in order. */
  requested: () => string[];
}

export function siteIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `site-${index}`);
}

export function serveSites(service: TestService, ids: string[]): ManySites {
  const sites: ManySites = {
    ids,
    systems: [{}],
    statusOf: () => 200,
    listStatus: 200,
    records: 1,
    requested: () => service.requestsTo(/telemetry$/).map(({ path }) => siteOf(path)),
  };
  const always = { times: Number.POSITIVE_INFINITY };
  service.fault({
    path: /v1\/sites$/,
    ...always,
    respond: (_request, response) =>
      answer(response, sites.listStatus, {
        sites: sites.ids.map((siteId) => ({ siteId, systems: sites.systems })),
      }),
  });
  service.fault({
    path: /telemetry$/,
    ...always,
    respond: ({ url = "" }: IncomingMessage, response) =>
      answer(response, sites.statusOf(siteOf(url)), { data: newestRecords(sites.records) }),
  });
  return sites;
}

function siteOf(url: string): string {
  return /sites\/([^/]+)/.exec(url)?.[1] ?? "";
}

function newestRecords(count: number): object[] {
  const last = Math.floor(Date.now() / (5 * MINUTE)) * 5 * MINUTE;
  return Array.from({ length: count }, (_, index) => {
    const end = last - (count - 1 - index) * 5 * MINUTE;
    const [startTime, endTime] = [end - 5 * MINUTE, end].map((time) => new Date(time).toISOString());
    return { startTime, endTime, grid: { power: 100 } };
  });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(status === 200 ? body : { message: "a fault of the test" }));
}
