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
/**
 * The competitors of a round take turns, so that all meet the same noise of the machine. None may be idle for eight seconds:
 * V8 would then make its heap so small that it collects garbage all the time for a while.
 */
const TURNS = 4;
const SECONDS_PER_TURN = 0.4;

/** The measurements of each round. */
export class Result {
  readonly name: string;
  /** Records per second. */
  readonly rates: number[] = [];
  /** CPU seconds per 1,000 records. */
  readonly cpus: number[] = [];
  /** The share of one core that the service took meanwhile. */
  readonly serviceLoads: number[] = [];

  constructor(name: string) {
    this.name = name;
  }

  add({ records, seconds, cpuSeconds }: Sample, serviceSeconds: number): void {
    this.rates.push(records / seconds);
    this.cpus.push((cpuSeconds / records) * 1000);
    this.serviceLoads.push(serviceSeconds / seconds);
  }

  /** The ratios of each round, in which all competitors met the same machine load. */
  speedTo(other: Result): Ratio {
    return ratio(this.rates, other.rates);
  }

  cpuTo(other: Result): Ratio {
    return ratio(this.cpus, other.cpus);
  }
}

export interface Ratio {
  median: number;
  least: number;
  most: number;
}

export type Results = Partial<Record<keyof typeof STARTERS, Result>>;

/** Starts new processes for each round, because V8 optimizes each process differently. */
export async function compare(service: Service, shape: Shape, rounds: number): Promise<Results> {
  const results: Results = {};
  const warmUpRuns = Math.max(WARM_UP_RUNS, WARM_UP_REQUESTS / shape.spans(service.now).length);
  for (let round = 0; round < rounds; round += 1) {
    const entrants: Entrant[] = [];
    for (const kind of [...shape.competitors, "loop", "core"] as const) {
      const competitor = await STARTERS[kind](service, shape);
      results[kind] ??= new Result(competitor.name);
      entrants.push({ competitor, result: results[kind], samples: [], serviceSeconds: 0 });
    }
    if (shape.isCold) for (const entrant of entrants) await measureFirstRun(entrant, service);
    else await measureWarm(entrants, service, warmUpRuns);
    for (const { competitor, result, samples, serviceSeconds } of entrants) {
      result.add(sum(samples), serviceSeconds);
      await competitor.stop();
    }
  }
  return results;
}

/** A competitor in one round. */
interface Entrant {
  competitor: Competitor;
  result: Result;
  samples: Sample[];
  serviceSeconds: number;
}

async function measureFirstRun(entrant: Entrant, service: Service): Promise<void> {
  const before = await service.cpuSeconds();
  entrant.samples.push(await entrant.competitor.run());
  entrant.serviceSeconds += (await service.cpuSeconds()) - before;
}

async function measureWarm(
  entrants: readonly Entrant[],
  service: Service,
  warmUpRuns: number,
): Promise<void> {
  for (let run = 0; run < warmUpRuns; run += 1) for (const { competitor } of entrants) await competitor.run();
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const entrant of entrants) await takeTurn(entrant, service);
}

async function takeTurn(entrant: Entrant, service: Service): Promise<void> {
  const { competitor, samples } = entrant;
  // Not measured: the caches of the processor are those of another.
  await competitor.run();
  const before = await service.cpuSeconds();
  for (let seconds = 0; seconds < SECONDS_PER_TURN;) {
    const sample = await competitor.run();
    samples.push(sample);
    seconds += sample.seconds;
  }
  entrant.serviceSeconds += (await service.cpuSeconds()) - before;
}

function ratio(values: readonly number[], others: readonly number[]): Ratio {
  const ratios = values.map((value, round) => value / (others[round] ?? Number.NaN));
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}
