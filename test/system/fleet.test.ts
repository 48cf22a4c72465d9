// Tests a fleet with real processes: schedulers and workers share 60 sites through a broker, whatever is killed or restarted.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Daemon } from "../support/daemon";
import { eventually } from "../support/eventually";
import { fleetFlow } from "../support/fleet-flow";
import { type FleetRead, type FleetService, startFleetService } from "../support/fleet-service";
import { mosquittoDaemon } from "../support/mosquitto";
import { type MqttReader, PERSISTENT, type Reading, readMqtt } from "../support/mqtt-reader";
import { newUserDirectory } from "../support/package";
import { mosquitto, needed } from "../support/requirements";
import { NODE_RED, type Runtime, startRuntime } from "../support/runtime";
import { temporaryFolder } from "../support/temporary";
import { HOUR, MINUTE } from "../../src/time-units";

const SITES = Array.from({ length: 60 }, (_, index) => `site-${index}`);
const BACKLOG_HOURS = 3;
/** A job for each site in so many seconds. */
const INTERVAL = 10;
/** Seconds after which a job comes again. */
const TIMEOUT = 5;
/** Reads of one worker that follow each other this closely, in milliseconds, are of one job. */
const SAME_JOB = 1000;
/** So many that every worker has met the outage; then the service fails for all, and they try seldom. */
const MANY_FAILURES = 12;
/** In milliseconds. */
const LONG = 60_000;

interface SentRecord {
  startTime: string;
  endTime: string;
}

describe("a fleet of workers", function () {
  this.timeout(240_000);
  let broker: Daemon;
  let service: FleetService;
  let reader: MqttReader;
  /** The records that arrived, by topic and start, each in all its copies. */
  const arrived = new Map<string, string[]>();
  const ledgers: string[] = [];
  const runtimes: Runtime[] = [];
  /** The worker that is stopped for a while. */
  let stopped: Runtime | undefined;

  function note({ topic, payload }: Reading): void {
    const [, kind, ...address] = topic.split("/");
    if (kind === "ledgers" && address.length > 0) ledgers.push(address.join("/"));
    if (kind !== "records") return;
    for (const record of JSON.parse(payload) as SentRecord[]) {
      const id = `${address.join("/")} ${Date.parse(record.startTime)}`;
      arrived.set(id, [...(arrived.get(id) ?? []), JSON.stringify(record)]);
    }
  }

  async function start(example: string, worker: string, env: Record<string, string> = {}): Promise<Runtime> {
    const runtime = await startRuntime(NODE_RED, env, await newUserDirectory());
    runtimes.push(runtime);
    const { port } = broker;
    await runtime.deploy(
      fleetFlow(example, {
        port,
        baseUrl: service.baseUrl,
        worker,
        interval: INTERVAL,
        timeout: TIMEOUT,
        startHours: BACKLOG_HOURS + 1,
        tick: 1,
      }),
    );
    return runtime;
  }
  const startWorker = (name: string, env: Record<string, string> = {}): Promise<Runtime> =>
    start("14-fleet-worker.json", name, env);
  const startScheduler = (): Promise<Runtime> => start("13-fleet-scheduler.json", "scheduler");

  const missing = (): string[] =>
    SITES.flatMap((siteId) =>
      service
        .starts()
        .map((time) => `${siteId}/${siteId}-1 ${time}`)
        .filter((id) => !arrived.has(id)),
    );
  const allArrived = (): Promise<true> =>
    eventually(
      () =>
        `${missing().length} missing, such as ${missing()[0]}: ${runtimes.map((one) => one.output().slice(-300)).join("\n")}`,
      async () => missing().length === 0 || undefined,
      LONG,
    );
  const jobsDone = (count: number): Promise<true> =>
    eventually(
      () =>
        `${ledgers.length} of ${count} jobs: ${runtimes.map((one) => one.output().slice(-300)).join("\n")}`,
      async () => ledgers.length >= count || undefined,
      LONG,
    );

  before(async function () {
    broker = await mosquittoDaemon(needed(mosquitto, this));
    await broker.start();
    const now = Date.now();
    service = await startFleetService(SITES, now - BACKLOG_HOURS * HOUR);
    service.dataUntil = now - 60 * MINUTE;
    reader = await readMqtt(`mqtt://127.0.0.1:${broker.port}`, "fleet/#", note, PERSISTENT);
  });
  after(async () => {
    await Promise.all(runtimes.map((runtime) => runtime.stop()));
    await reader?.close();
    await broker?.stop();
    await service?.close();
  });

  it("loses no record while a worker is killed, one is added, the broker restarts and two schedulers run", async () => {
    const [first, , killed] = await Promise.all(
      ["worker-1", "worker-2", "worker-3"].map((name) => startWorker(name)),
    );
    stopped = first;
    const scheduler = await startScheduler();
    await jobsDone(20);
    await killed?.kill();
    const [second] = await Promise.all([startScheduler(), startWorker("worker-4")]);
    await broker.stop();
    await broker.start();
    service.dataUntil += 15 * MINUTE;
    await allArrived();
    await scheduler.stop();
    service.dataUntil += 10 * MINUTE;
    await allArrived();
    assert.ok(second);
  });

  it("shares the work evenly", async () => {
    const known = service.reads.length;
    await jobsDone(ledgers.length + 2 * SITES.length);
    const shares = grouped(service.reads.slice(known), "worker");
    assert.deepEqual([...shares.keys()].toSorted(), ["worker-1", "worker-2", "worker-4"]);
    const even = (service.reads.length - known) / shares.size;
    for (const [worker, { length }] of shares)
      assert.ok(Math.abs(length - even) <= even / 5, `${worker}: ${length} of ${even}`);
  });

  it("loses no record while a worker is stopped and goes on, and another has a clock that is 90 s ahead", async () => {
    await startWorker("worker-5", { NODE_OPTIONS: `--require ${clockAhead(90_000)}` });
    service.dataUntil += 5 * MINUTE;
    await jobsDone(ledgers.length + 10);
    signal(stopped, "SIGSTOP");
    // Longer than a job's timeout, with jobs in its hands.
    await jobsDone(ledgers.length + SITES.length);
    signal(stopped, "SIGCONT");
    await allArrived();
    await jobsDone(ledgers.length + SITES.length);
    assert.ok(service.reads.some(({ worker }) => worker === "worker-5"));
  });

  it("loses no record while the service fails for one site, then for all, and revokes its tokens", async () => {
    const [failing = ""] = SITES;
    service.fails = (siteId) => siteId === failing;
    service.dataUntil += 5 * MINUTE;
    await eventually(
      () => `${missing().length} missing`,
      async () => missing().every((id) => id.startsWith(`${failing}/`)) || undefined,
      LONG,
    );
    const before = service.failures;
    service.fails = () => true;
    service.dataUntil += 5 * MINUTE;
    await eventually(
      () => `only ${service.failures - before} requests failed`,
      async () => service.failures - before >= MANY_FAILURES || undefined,
      LONG,
    );
    service.fails = () => false;
    service.revokeTokens();
    await allArrived();
  });

  it("sends the records of each system in order", () => {
    const last = new Map<string, number>();
    for (const id of arrived.keys()) {
      const [key = "", time] = id.split(" ");
      assert.ok(Number(time) > (last.get(key) ?? 0), `${id} after ${last.get(key)}`);
      last.set(key, Number(time));
    }
  });

  it("repeats records only as they were", () => {
    for (const [id, copies] of arrived) assert.equal(new Set(copies).size, 1, id);
  });

  it("repeats only what was under way", () => {
    const copies = [...arrived.values()].reduce((sum, { length }) => sum + length, 0);
    assert.ok(copies < 2 * arrived.size, `${copies} copies of ${arrived.size} records`);
  });

  it("has no site read by two workers at once for longer than a job's timeout", () => {
    for (const [siteId, reads] of grouped(service.reads, "siteId"))
      assert.ok(overlap(jobs(reads)) <= TIMEOUT * 1000, siteId);
  });
});

function signal(runtime: Runtime | undefined, name: NodeJS.Signals): void {
  if (runtime?.pid === undefined) throw new Error("there is no such process");
  process.kill(runtime.pid, name);
}

/** A script that makes the wall clock of a process run ahead, in milliseconds. */
function clockAhead(milliseconds: number): string {
  const script = join(temporaryFolder(), "clock.cjs");
  writeFileSync(script, `const now = Date.now.bind(Date);\nDate.now = () => now() + ${milliseconds};\n`);
  return script;
}

function grouped(reads: readonly FleetRead[], by: "worker" | "siteId"): Map<string, FleetRead[]> {
  const groups = new Map<string, FleetRead[]>();
  for (const read of reads) groups.set(read[by], [...(groups.get(read[by]) ?? []), read]);
  return groups;
}

/** The time each worker spent on a job of a site. */
function jobs(reads: readonly FleetRead[]): FleetRead[] {
  const all: FleetRead[] = [];
  for (const read of reads) {
    const last = all.findLast(({ worker }) => worker === read.worker);
    if (last && read.from - last.to < SAME_JOB) last.to = read.to;
    else all.push({ ...read });
  }
  return all;
}

/** The longest time that two of them overlap, in milliseconds. */
function overlap(all: readonly FleetRead[]): number {
  const times = all.flatMap((one) =>
    all.map((other) =>
      other.worker === one.worker ? 0 : Math.min(one.to, other.to) - Math.max(one.from, other.from),
    ),
  );
  return Math.max(0, ...times);
}
