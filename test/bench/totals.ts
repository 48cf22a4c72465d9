// npm run bench -- totals: the node totals against a node that only reads the same records.
import { DateTime } from "luxon";
import { startService } from "./competitors";
import { readingFlow } from "./flows";
import { goal } from "./goal";
import { startRig } from "./rig";
import { DAYS_OF_SERVICE } from "./shapes";
import { DAY, median, SITES, siteOf, SLOT } from "./work";

const YEAR = { type: "energy-totals", siteId: "", period: "message" };
const TODAY = { type: "energy-totals", siteId: "", period: "today" };
const HISTORY = { type: "energy-history", siteId: "", source: "telemetry", range: "message" };
const POLL = { type: "energy-telemetry-poll", siteId: "", store: "none" };
/** The zone of the site. */
const ZONE = "Europe/Berlin";
const RUNS = 200;

interface Job {
  message: Record<string, unknown>;
  records: number;
}

/** A run in milliseconds of CPU, after `warmUp` runs of others: each site is read once, since totals keep what they know. */
async function cpuOf(baseUrl: string, node: object, jobs: readonly Job[], warmUp: number): Promise<number> {
  const rig = await startRig(readingFlow(baseUrl, node, 1));
  const costs: number[] = [];
  for (const { message, records } of jobs) {
    const { cpuSeconds } = await rig.run({ messages: [message], recordsPerMessage: records, inFlow: 1 });
    costs.push(cpuSeconds * 1000);
  }
  await rig.stop();
  return median(costs.slice(warmUp));
}

/** One totals message for what the other node sends as records. */
async function compare(
  baseUrl: string,
  [node, other]: [totals: object, other: object],
  jobs: readonly Job[],
  warmUp: number,
  { text, most }: { text: string; most: number },
): Promise<void> {
  const single = jobs.map(({ message }) => ({ message, records: 1 }));
  const totals = await cpuOf(baseUrl, node, single, warmUp);
  const reading = await cpuOf(baseUrl, other, jobs, warmUp);
  const ratio = totals / reading;
  const figures = `${totals.toFixed(1)} ms of CPU, ${reading.toFixed(1)} ms to read only`;
  goal(`${text}: ${figures}, ${ratio.toFixed(2)} of at most ${most}`, ratio <= most);
}

export async function benchTotals(): Promise<void> {
  console.log("\ntotals");
  const { baseUrl, now, stop } = await startService();
  const midnight = DateTime.fromMillis(now, { zone: ZONE }).startOf("day").toMillis();
  const from = midnight - (DAYS_OF_SERVICE - 2) * DAY;
  const payload = { startTime: new Date(from).toISOString(), endTime: new Date(midnight).toISOString() };
  const years = Array.from({ length: SITES }, (_none, index) => ({
    message: { siteId: siteOf(index), payload },
    records: (midnight - from) / SLOT,
  }));
  await compare(baseUrl, [YEAR, HISTORY], years, 3, { text: "a year", most: 1.3 });
  const days = Array.from({ length: RUNS }, () => ({
    message: { siteId: siteOf(0), startTime: payload.endTime },
    records: (now - midnight) / SLOT,
  }));
  await compare(baseUrl, [TODAY, POLL], days, RUNS / 2, { text: "today so far", most: 2 });
  await stop();
}
