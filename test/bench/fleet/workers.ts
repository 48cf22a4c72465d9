// npm run bench -- workers: the fleet examples with a real broker, a scheduler and some workers, each a process of its own.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Daemon } from "../../support/daemon";
import { fleetFlow } from "../../support/fleet-flow";
import { mosquittoDaemon } from "../../support/mosquitto";
import { readMqtt } from "../../support/mqtt-reader";
import { mosquitto } from "../../support/requirements";
import { NODE_RED, type Runtime, startRuntime } from "../../support/runtime";
import { atExit } from "../cleanup";
import { goal } from "../goal";
import { measure as measureOneNode } from "./fleet";
import type { ServiceCommand, ServiceReply } from "./service-process";

const SYSTEMS = 10_000;
/** Of a request for records, in milliseconds. */
const DELAY = 50;
const CONCURRENCY = 16;
/** In seconds. */
const WARM_UP = 10;
const MEASURED = 20;
/** So short that a backlog of jobs remains, in seconds. */
const BUSY_INTERVAL = 60;
/** As in the example, in seconds. */
const USUAL_INTERVAL = 300;
/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** A process, by role, and the CPU time that it has used, in milliseconds. */
type Cpu = Record<"workers" | "scheduler" | "broker", number>;

interface Sample {
  workers: number;
  /** Jobs a second. */
  rate: number;
  /** In milliseconds a job. */
  cpu: Cpu;
  /** The largest deviation of a worker's share from an even one, as a part of that. */
  unevenness: number;
  /** From the publication of a job to that of its ledger, in milliseconds. */
  median: number;
  p99: number;
}

/** A scheduler and workers around a broker. */
class Fleet {
  readonly #published = new Map<string, number>();
  #latencies: number[] = [];
  #close: (() => Promise<void>)[] = [];
  #workers: Runtime[] = [];
  #scheduler: Runtime | undefined;

  private constructor(
    private readonly service: ChildProcess,
    private readonly broker: Daemon,
  ) {}

  static async start(service: ChildProcess, workers: number, interval: number): Promise<Fleet> {
    const { baseUrl } = await tell(service, { delay: DELAY });
    const broker = await mosquittoDaemon(mosquitto.path ?? "", false);
    await broker.start();
    const fleet = new Fleet(service, broker);
    const reader = await readMqtt(`mqtt://127.0.0.1:${broker.port}`, "fleet/#", ({ topic }) =>
      fleet.#note(topic),
    );
    fleet.#close.push(
      () => reader.close(),
      () => broker.stop(),
    );
    const start = async (example: string, worker: string): Promise<Runtime> => {
      const runtime = await startRuntime(NODE_RED);
      fleet.#close.unshift(() => runtime.stop());
      const timeout = 120;
      const settings = { port: broker.port, baseUrl, worker, interval, timeout, tick: 1 };
      await runtime.deploy(fleetFlow(example, { ...settings, startHours: 1 / 6, concurrency: CONCURRENCY }));
      return runtime;
    };
    for (let index = 1; index <= workers; index += 1)
      fleet.#workers.push(await start("14-fleet-worker.json", `worker-${index}`));
    fleet.#scheduler = await start("13-fleet-scheduler.json", "scheduler");
    return fleet;
  }

  #note(topic: string): void {
    const [, kind, ...address] = topic.split("/");
    const key = address.join("/");
    const now = performance.now();
    if (kind === "jobs") this.#published.set(key, now);
    if (kind !== "ledgers" || key === "") return;
    this.#latencies.push(now - (this.#published.get(key) ?? now));
  }

  #cpu(): Cpu {
    return {
      workers: this.#workers.reduce((sum, { pid }) => sum + cpuTime(pid), 0),
      scheduler: cpuTime(this.#scheduler?.pid),
      broker: cpuTime(this.broker.pid),
    };
  }

  async measure(): Promise<Sample> {
    await pause(WARM_UP * 1000);
    this.#latencies = [];
    const before = this.#cpu();
    const began = performance.now();
    await tell(this.service, { delay: DELAY });
    await pause(MEASURED * 1000);
    const after = this.#cpu();
    const seconds = (performance.now() - began) / 1000;
    const { workers } = await tell(this.service, { delay: DELAY });
    const sorted = this.#latencies.toSorted((one, other) => one - other);
    const jobs = sorted.length;
    const shares = this.#workers.map((_, index) => workers[`worker-${index + 1}`] ?? 0);
    const even = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    return {
      workers: shares.length,
      rate: jobs / seconds,
      cpu: {
        workers: (after.workers - before.workers) / jobs,
        scheduler: (after.scheduler - before.scheduler) / jobs,
        broker: (after.broker - before.broker) / jobs,
      },
      unevenness: Math.max(...shares.map((share) => Math.abs(share - even) / even)),
      median: sorted[Math.floor(jobs / 2)] ?? 0,
      p99: sorted[Math.floor(jobs * 0.99)] ?? 0,
    };
  }

  async close(): Promise<void> {
    for (const close of this.#close) await close();
  }
}

async function tell(service: ChildProcess, command: ServiceCommand): Promise<ServiceReply> {
  service.send(command);
  const [reply] = (await once(service, "message")) as [ServiceReply];
  return reply;
}

/** User and system time of a process since its start, in milliseconds (proc(5), fields 14 and 15 of stat). */
function cpuTime(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function sample(service: ChildProcess, workers: number, interval: number): Promise<Sample> {
  const fleet = await Fleet.start(service, workers, interval);
  const result = await fleet.measure();
  await fleet.close();
  const { rate, cpu, unevenness, median, p99 } = result;
  console.log(
    `${workers} workers, a job each ${interval} s: ${rate.toFixed(0)} jobs/s; CPU a job: workers ${cpu.workers.toFixed(1)} ms, scheduler ${cpu.scheduler.toFixed(2)} ms, broker ${cpu.broker.toFixed(2)} ms; ${(unevenness * 100).toFixed(0)} % from even; job done after ${median.toFixed(0)} ms (p99 ${p99.toFixed(0)} ms)`,
  );
  return result;
}

export async function benchWorkers(): Promise<void> {
  if (mosquitto.path === undefined) return console.log(`Missing: ${mosquitto.install}`);
  console.log(
    `${SYSTEMS} systems, ${DELAY} ms a request, ${CONCURRENCY} parallel requests a worker. Load of the machine before: ${loadavg()[0]?.toFixed(1)}.`,
  );
  const alone = await measureOneNode(SYSTEMS);
  const one = alone.runs.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / alone.runs.length / SYSTEMS;
  console.log(`The same poll in one node: ${one.toFixed(2)} ms of CPU`);
  const service = fork(join(__dirname, "service-process.ts"), { execArgv: ["--import", "tsx"] });
  atExit(() => service.kill());
  await once(service, "message");
  await tell(service, { sites: SYSTEMS });
  const busy: Sample[] = [];
  for (const workers of [1, 2, 4]) busy.push(await sample(service, workers, BUSY_INTERVAL));
  await sample(service, 2, USUAL_INTERVAL);
  service.kill();
  const [single] = busy;
  if (!single) return;
  goal(
    `one worker: at least 200 jobs a second at ${DELAY} ms a request (${single.rate.toFixed(0)})`,
    single.rate >= 200,
  );
  const added = single.cpu.workers - one;
  goal(`a job: at most 1 ms of CPU above the same poll in one node (${added.toFixed(1)})`, added <= 1);
  const uneven = Math.max(...busy.map(({ unevenness }) => unevenness));
  goal(`shares of workers: within 20 % of even (${(uneven * 100).toFixed(0)} %)`, uneven <= 0.2);
}
