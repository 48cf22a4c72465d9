// The work of every competitor, time windows of telemetry of one site, and how it is measured.

export const SITE = "demo-house";
/** How many sites have the same records. Nodes that read the same at the same time would share their requests. */
export const SITES = 8;

/** The site of a node, by its index. */
export function siteOf(index: number): string {
  return index === 0 ? SITE : `${SITE}-${index}`;
}

export const SLOT = 300_000;
export const DAY = 86_400_000;
export const RECORDS_PER_DAY = DAY / SLOT;
const SAMPLE_INTERVAL = 50;

/** One request; times are ISO 8601. */
export interface Span {
  startTime: string;
  endTime: string;
}

/** The same for all; `token` is for competitors that do not request one themselves. */
export interface Work {
  baseUrl: string;
  token: string;
  spans: Span[];
  /** How many requests are in flight at a time. */
  inFlight: number;
}

/** The measurement of one run in the process that did the work. */
export interface Sample {
  records: number;
  seconds: number;
  cpuSeconds: number;
  /** Peak growth of resident memory during the run, in MiB. */
  grownMiB: number;
}

/** The request URL of a span, as a flow or script would build it. */
export function spanUrl(baseUrl: string, { startTime, endTime }: Span): string {
  const query = `startTime=${encodeURIComponent(startTime)}&endTime=${encodeURIComponent(endTime)}`;
  return `${baseUrl}/v1/sites/${SITE}/telemetry?${query}`;
}

/** Times in milliseconds since the epoch. */
export function spanOf(start: number, end: number): Span {
  return { startTime: new Date(start).toISOString(), endTime: new Date(end).toISOString() };
}

/** Starts a measurement; the returned function ends it. */
export function startWatch(): (records: number) => Sample {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const before = process.memoryUsage.rss();
  let largest = before;
  const sampleMemory = (): void => {
    largest = Math.max(largest, process.memoryUsage.rss());
  };
  const timer = setInterval(sampleMemory, SAMPLE_INTERVAL);
  return (records) => {
    clearInterval(timer);
    sampleMemory();
    const { user, system } = process.cpuUsage(cpu);
    const seconds = (performance.now() - start) / 1000;
    return { records, seconds, cpuSeconds: (user + system) / 1e6, grownMiB: (largest - before) / 2 ** 20 };
  };
}

export function sum(samples: readonly Sample[]): Sample {
  const total = { records: 0, seconds: 0, cpuSeconds: 0, grownMiB: 0 };
  for (const { records, seconds, cpuSeconds, grownMiB } of samples) {
    total.records += records;
    total.seconds += seconds;
    total.cpuSeconds += cpuSeconds;
    total.grownMiB = Math.max(total.grownMiB, grownMiB);
  }
  return total;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}
