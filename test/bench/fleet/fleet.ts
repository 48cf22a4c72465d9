// npm run bench -- fleet: one telemetry poll for 100, 1,000 and 10,000 sites, each with a new record in every run.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";
import { freePort, startNodeRed } from "../../../tools/node-red.mjs";
import { temporaryFolder } from "../../support/temporary";
import { atExit } from "../cleanup";
import { goal } from "../goal";
import { median } from "../work";
import type { FleetSample } from "./fleet-node";
import type { ServiceCommand, ServiceReply } from "./service-process";

const SIZES = [100, 1000, 10_000];
/** After the first; the first of them warms up. */
const RUNS = 4;
const INTERVAL = 300_000;
const ROOT = join(__dirname, "..", "..", "..");
const NODE_RED = dirname(require.resolve("node-red/package.json"));

const CREDENTIALS = { account: { clientId: "bench-client", clientSecret: "bench-secret" } };

function flow(baseUrl: string): object[] {
  return [
    { id: "tab", type: "tab", label: "Bench" },
    { id: "fleet", z: "tab", type: "bench-fleet", wires: [["reader"]] },
    { id: "account", type: "energy-account", service: "live", baseUrl, apiVersion: "" },
    {
      id: "reader",
      z: "tab",
      type: "energy-telemetry-poll",
      account: "account",
      siteId: "*",
      systemId: "*",
      output: "record",
      repeat: 0,
      onDeploy: false,
      wires: [["fleet"], []],
    },
    { id: "done", z: "tab", type: "complete", scope: ["reader"], wires: [["fleet"]] },
    { id: "failed", z: "tab", type: "catch", scope: null, wires: [["fleet"]] },
  ];
}

interface FleetResult {
  sites: number;
  first: FleetSample;
  /** The runs that follow, without the one that warms up. */
  runs: FleetSample[];
  /** Of the process after the last run, in bytes. */
  memory: number;
}

export async function measure(sites: number): Promise<FleetResult> {
  const service = fork(join(__dirname, "service-process.ts"), { execArgv: ["--import", "tsx"] });
  atExit(() => service.kill());
  await once(service, "message");
  const { baseUrl } = await tell(service, { sites });
  // The first run begins in the middle of an interval.
  const start = INTERVAL / 2 - (Date.now() % INTERVAL);
  const userDir = userDirectory(baseUrl);
  const nodeRed = startNodeRed({
    folder: NODE_RED,
    userDir,
    port: await freePort(),
    settings: { "editorTheme.palette.catalogues": [], credentialSecret: false },
  });
  await nodeRed.ready;
  const run = async (ahead: number): Promise<FleetSample> => {
    await tell(service, { ahead });
    const sample = await post<FleetSample>(`${nodeRed.url}/bench/run`, { ahead });
    const { requests, refused } = await tell(service, { ahead });
    const { telemetry = 0 } = requests;
    if (sample.records !== sites || sample.errors.length > 0 || refused.length > 0)
      console.log(
        `${sites} sites: ${sample.records} records, ${telemetry} requests, ${sample.errors.length} errors (${sample.errors[0]}), ${refused.length} refused (${refused[0]})`,
      );
    return sample;
  };
  const first = await run(start);
  const runs: FleetSample[] = [];
  for (let index = 1; index <= RUNS; index += 1) runs.push(await run(start + index * INTERVAL));
  await nodeRed.stop();
  service.kill();
  return { sites, first, runs: runs.slice(1), memory: runs.at(-1)?.memory ?? 0 };
}

async function post<T>(url: string, body: object): Promise<T> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(180_000),
  });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

async function tell(service: ChildProcess, command: ServiceCommand): Promise<ServiceReply> {
  service.send(command);
  const [reply] = (await once(service, "message")) as [ServiceReply];
  return reply;
}

function userDirectory(baseUrl: string): string {
  const userDir = temporaryFolder();
  const packageFolder = join(userDir, "node_modules", "@energy-sites", "node-red");
  mkdirSync(packageFolder, { recursive: true });
  for (const name of ["package.json", "dist"]) symlinkSync(join(ROOT, name), join(packageFolder, name));
  const outdir = join(userDir, "nodes");
  const entryPoints = [join(__dirname, "fleet-node.ts")];
  buildSync({ entryPoints, outdir, bundle: true, platform: "node", format: "cjs" });
  const registration = 'RED.nodes.registerType("bench-fleet", { defaults: {}, inputs: 1, outputs: 1 });';
  writeFileSync(join(outdir, "fleet-node.html"), `<script type="text/javascript">${registration}</script>\n`);
  writeFileSync(join(userDir, "flows.json"), JSON.stringify(flow(baseUrl)));
  writeFileSync(join(userDir, "flows_cred.json"), JSON.stringify(CREDENTIALS));
  return userDir;
}

function mean(samples: readonly FleetSample[], of: (sample: FleetSample) => number): number {
  return samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
}

export async function benchFleet(sizes: readonly number[] = SIZES): Promise<void> {
  console.log(
    `Runs of one telemetry poll, each site with one new record; medians of ${RUNS - 1} runs. Load of the machine before: ${loadavg()[0]?.toFixed(1)}.`,
  );
  const results: FleetResult[] = [];
  for (const sites of sizes) results.push(await measure(sites));
  const figures = results.map(({ sites, first, runs, memory }) => ({
    sites,
    cpu: mean(runs, ({ cpuMs }) => cpuMs) / sites,
    seconds: mean(runs, ({ seconds }) => seconds),
    p99: median(runs.map(({ p99 }) => p99)),
    longest: median(runs.map(({ longest }) => longest)),
    memory,
    written: mean(runs, ({ diskBytes }) => diskBytes) / sites,
    first,
  }));
  console.table(
    Object.fromEntries(
      figures.map((one) => [
        one.sites,
        {
          "CPU ms a site": one.cpu.toFixed(2),
          "s a run": one.seconds.toFixed(1),
          "delay p99, ms": one.p99.toFixed(0),
          "longest delay, ms": one.longest.toFixed(0),
          "MiB in all": (one.memory / 2 ** 20).toFixed(1),
          "bytes written a site": one.written.toFixed(0),
          "first run, s": one.first.seconds.toFixed(1),
          "p99 of the first": one.first.p99.toFixed(0),
          "longest of the first": one.first.longest.toFixed(0),
        },
      ]),
    ),
  );
  const [smallest, largest] = [figures[0], figures.at(-1)];
  if (!smallest || !largest) return;
  const { sites } = largest;
  goal(`${sites} sites: at most 1.2 ms of CPU a site and run`, largest.cpu <= 1.2);
  goal("event-loop delay: p99 under 20 ms", largest.p99 < 20 && largest.first.p99 < 20);
  goal("event-loop delay: never over 100 ms", largest.longest <= 100 && largest.first.longest <= 100);
  // What Node-RED and the nodes need for any number of sites does not count.
  const memory = (largest.memory - smallest.memory) / (largest.sites - smallest.sites);
  goal(`memory: under 4 KiB a site (${(memory / 1024).toFixed(1)})`, memory < 4096);
  goal("written: under 300 bytes a site and run", largest.written < 300);
  const growth = largest.cpu / smallest.cpu;
  goal(`CPU a site: at most 10 % more than with ${smallest.sites} (${growth.toFixed(2)})`, growth <= 1.1);
  goal("first run: under 60 s", largest.first.seconds < 60);
}
