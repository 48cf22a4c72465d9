// npm run bench -- workers: jobs of different systems, each without a ledger, in one telemetry poll, without a broker.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type NodeUnderTest, startNode } from "../../support/flow";
import { atExit } from "../cleanup";
import { goal } from "../goal";
import type { ServiceCommand, ServiceReply } from "./service-process";

const SITES = 10_000;
/** Of a request for records, in milliseconds. */
const DELAY = 50;
const WARM_UP = 100;
/** For each of the parallel requests. */
const JOBS = 100;

interface Sample {
  rate: number;
  /** In milliseconds a job. */
  cpu: number;
}

async function tell(service: ChildProcess, command: ServiceCommand): Promise<ServiceReply> {
  service.send(command);
  const [reply] = (await once(service, "message")) as [ServiceReply];
  return reply;
}

async function work(node: NodeUnderTest, from: number, count: number): Promise<Sample> {
  const goalCount = node.completedSoFar().length + count;
  const before = { cpu: process.cpuUsage(), time: performance.now() };
  for (let index = from; index < from + count; index += 1) {
    const siteId = `demo-site-${String(index).padStart(5, "0")}`;
    node.input({ siteId, systemId: `${siteId}-1` });
  }
  while (node.completedSoFar().length < goalCount) {
    const [failed] = node.caughtSoFar();
    if (failed) throw new Error(failed.error.message);
    await pause(5);
  }
  const { user, system } = process.cpuUsage(before.cpu);
  const seconds = (performance.now() - before.time) / 1000;
  return { rate: count / seconds, cpu: (user + system) / 1000 / count };
}

async function measure(baseUrl: string, concurrency: number, delay: number): Promise<Sample> {
  const node = await startNode(
    "energy-telemetry-poll",
    { siteId: "", store: "message", output: "batch" },
    {
      account: { baseUrl, concurrency },
      credentials: { clientId: "bench-client", clientSecret: "bench-secret" },
    },
  );
  await work(node, 0, WARM_UP);
  const sample = await work(node, WARM_UP, JOBS * concurrency);
  await node.stop();
  const jobs = `${concurrency} parallel requests of ${delay} ms`;
  console.log(`${jobs}: ${sample.rate.toFixed(0)} jobs/s, ${sample.cpu.toFixed(1)} ms of CPU a job`);
  return sample;
}

export async function benchWorkers(): Promise<void> {
  console.log(`Load of the machine before: ${loadavg()[0]?.toFixed(1)}.`);
  const service = fork(join(__dirname, "service-process.ts"), { execArgv: ["--import", "tsx"] });
  atExit(() => service.kill());
  await once(service, "message");
  await tell(service, { sites: SITES });
  const { baseUrl } = await tell(service, { delay: DELAY });
  await measure(baseUrl, 1, DELAY);
  await measure(baseUrl, 4, DELAY);
  const { rate } = await measure(baseUrl, 16, DELAY);
  await tell(service, { delay: 0 });
  await measure(baseUrl, 16, 0);
  service.kill();
  goal(`a worker does at least 200 jobs a second at ${DELAY} ms a request (${rate.toFixed(0)})`, rate >= 200);
}
