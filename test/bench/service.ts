// Runs a service in its own process that only looks up what it sends: the demo service generates the records before the first
// measurement, because that takes longer than reading them, and the benchmark would measure the generator.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { startStrictService } from "../support/demo-service";
import { DAY, SITE, siteOf, SITES, SLOT, spanOf, spanUrl } from "./work";

/** What the benchmark asks of the process. */
export type ServiceQuestion = { now: number; days: number; basic: string } | "cpu";

interface Records {
  /** The start of the first record, in milliseconds. */
  first: number;
  /** The JSON of each record; one for each slot. */
  texts: string[];
}

interface SiteList {
  data: { siteId: string }[];
}

/** The clock is fixed, so that every round reads the same records. */
async function serve({ now, days, basic }: Exclude<ServiceQuestion, "cpu">): Promise<object> {
  const demo = await startStrictService({ now: () => now });
  const login = await fetch(`${demo.baseUrl}/v1/auth`, { method: "POST", headers: { authorization: basic } });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const authorization = `Bearer ${token}`;

  const records: Records = { first: now - days * DAY, texts: [] };
  for (let start = records.first; start < now; start += DAY) {
    const url = spanUrl(demo.baseUrl, spanOf(start, start + DAY));
    const { data } = (await (await fetch(url, { headers: { authorization } })).json()) as { data: object[] };
    records.texts.push(...data.map((record) => JSON.stringify(record)));
  }
  if (records.texts.length !== (days * DAY) / SLOT) throw new Error("the service has gaps");
  const list = (await (
    await fetch(`${demo.baseUrl}/v1/sites`, { headers: { authorization } })
  ).json()) as SiteList;
  const site = list.data.find(({ siteId }) => siteId === SITE);
  const ids = Array.from({ length: SITES }, (_none, index) => siteOf(index));
  const sites = JSON.stringify({ ...list, data: ids.map((siteId) => ({ ...site, siteId })) });
  const paths = new Set(ids.map((siteId) => `/v1/sites/${siteId}/telemetry`));
  await demo.close();

  const answers = new Map<string, Buffer>();
  function answer(path: string, query: string): Buffer {
    if (path === "/v1/auth") return Buffer.from(JSON.stringify({ access_token: token, expires_in: 3600 }));
    if (!paths.has(path)) return Buffer.from(sites);
    const [from, to] = slotsOf(records, query);
    const known = answers.get(`${from} ${to}`);
    if (known) return known;
    const body = Buffer.from(`{"data":[${records.texts.slice(from, to).join(",")}]}`);
    answers.set(`${from} ${to}`, body);
    return body;
  }

  const server = createServer(({ url = "" }: IncomingMessage, response: ServerResponse) => {
    const [path = "", query = ""] = url.split("?");
    const body = answer(path, query);
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token };
}

/** The records that overlap the window of a query: from the first index up to the second. */
function slotsOf({ first, texts }: Records, query: string): [number, number] {
  const parameters = new URLSearchParams(query);
  const slot = (name: string): number => (Date.parse(parameters.get(name) ?? "") - first) / SLOT;
  return [Math.max(Math.floor(slot("startTime")), 0), Math.min(Math.ceil(slot("endTime")), texts.length)];
}

process.on("message", (question: ServiceQuestion) => {
  if (question === "cpu") {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1e6);
  } else {
    void serve(question).then((address) => process.send?.(address));
  }
});
