// Measures one way of storing states, in a process of its own: `node store-process.js NAME FOLDER write|load`.
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type CandidateName, openCandidate, STATES } from "./store-candidates";

/** How many systems are read at the same time, and wait for their write. */
const PARALLEL = 16;
const RUNS = 5;

export interface StoreFigures {
  /** Per state and run, in milliseconds. */
  cpu: number;
  /** Per state and run, as the program writes them. */
  bytes: number;
  /** Per state and run, as Linux counts them in pages; undefined elsewhere. */
  diskBytes: number | undefined;
  /** Per run. */
  fsyncs: number;
  /** The longest, in milliseconds. */
  delay: number;
  /** Seconds a run takes. */
  seconds: number;
}

export interface LoadFigures {
  seconds: number;
  delay: number;
}

const name = (index: number): string => `site-${String(index).padStart(5, "0")}.json`;

function state(index: number, run: number): object {
  const cursor = new Date(Date.UTC(2026, 5, 10) + run * 300_000).toISOString();
  return { cursor, knownFrom: 1_781_082_300_000 + index, delivered: [[0, 300, 12]], gaps: [], watched: 0 };
}

function diskBytes(): number | undefined {
  try {
    return Number(/write_bytes: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}

async function write(which: CandidateName, folder: string): Promise<StoreFigures> {
  const { candidate, counts } = await openCandidate(which, folder);
  const runOnce = async (run: number): Promise<void> => {
    const next = Array.from({ length: STATES }, (_, index) => index).values();
    const saveOn = async (): Promise<void> => {
      for (const index of next) await candidate.save(name(index), state(index, run));
    };
    await Promise.all(Array.from({ length: PARALLEL }, saveOn));
  };
  // The first run creates what the others change.
  await runOnce(0);
  const before = { ...counts, disk: diskBytes(), cpu: process.cpuUsage(), time: performance.now() };
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  for (let run = 1; run <= RUNS; run += 1) await runOnce(run);
  const { user, system } = process.cpuUsage(before.cpu);
  const writes = STATES * RUNS;
  const disk = diskBytes();
  return {
    cpu: (user + system) / 1000 / writes,
    bytes: (counts.bytes - before.bytes) / writes,
    diskBytes: disk === undefined || before.disk === undefined ? undefined : (disk - before.disk) / writes,
    fsyncs: (counts.fsyncs - before.fsyncs) / RUNS,
    delay: delays.max / 1e6,
    seconds: (performance.now() - before.time) / 1000 / RUNS,
  };
}

async function load(which: CandidateName, folder: string): Promise<LoadFigures> {
  const { candidate } = await openCandidate(which, folder);
  const start = performance.now();
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await new Promise((resolve) => setTimeout(resolve, 10));
  const states = await candidate.load();
  await new Promise((resolve) => setTimeout(resolve, 10));
  if (states.size !== STATES) throw new Error(`${states.size} states`);
  return { seconds: (performance.now() - start - 20) / 1000, delay: delays.max / 1e6 };
}

async function measure(): Promise<void> {
  const [which, folder = "", what] = process.argv.slice(2);
  const measured = await (what === "load" ? load : write)(which as CandidateName, folder);
  process.stdout.write(JSON.stringify(measured));
}

void measure();
