// Measures one shape of work: every competitor in fresh processes for each round, and the ratios within the rounds.
import { type Competitor, type Service, STARTERS } from "./competitors";
import type { Shape } from "./shapes";
import { median, type Sample, sum } from "./work";

/**
 * Requests that are not measured, and runs at least: by then, V8 has optimized most of what a run needs. As many for each
 * competitor, or who is slow at first stays cold.
 */
const WARM_UP_REQUESTS = 1500;
const WARM_UP_RUNS = 4;
const SECONDS_PER_ROUND = 1.5;

/** The measurements of each round. */
export class Result {
  name = "";
  /** Records per second. */
  readonly rates: number[] = [];
  /** CPU seconds per 1,000 records. */
  readonly cpus: number[] = [];
  /** The share of one core that the service took meanwhile. */
  readonly serviceLoads: number[] = [];

  /** The medians of the ratios of each round, so that competitors are compared under the same machine load. */
  speedTo(other: Result): number {
    return ratio(this.rates, other.rates);
  }

  cpuTo(other: Result): number {
    return ratio(this.cpus, other.cpus);
  }
}

export type Results = Partial<Record<keyof typeof STARTERS, Result>>;

/** Starts new processes for each round, because V8 optimizes each process differently. */
export async function compare(service: Service, shape: Shape, rounds: number): Promise<Results> {
  const results: Results = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of [...shape.competitors, "loop", "core"] as const) {
      const competitor = await STARTERS[kind](service, shape);
      results[kind] ??= new Result();
      const warmUp = Math.max(WARM_UP_RUNS, WARM_UP_REQUESTS / shape.spans(service.now).length);
      await measure(competitor, service, results[kind], warmUp);
      await competitor.stop();
    }
  }
  return results;
}

async function measure(
  competitor: Competitor,
  service: Service,
  result: Result,
  warmUpRuns: number,
): Promise<void> {
  result.name = competitor.name;
  for (let run = 0; run < warmUpRuns; run += 1) await competitor.run();
  const before = await service.cpuSeconds();
  const { records, seconds, cpuSeconds } = await runFor(competitor, SECONDS_PER_ROUND);
  result.serviceLoads.push(((await service.cpuSeconds()) - before) / seconds);
  result.rates.push(records / seconds);
  result.cpus.push((cpuSeconds / records) * 1000);
}

async function runFor(competitor: Competitor, leastSeconds: number): Promise<Sample> {
  const samples: Sample[] = [];
  while (sum(samples).seconds < leastSeconds) samples.push(await competitor.run());
  return sum(samples);
}

function ratio(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, round) => value / (others[round] ?? Number.NaN)));
}
