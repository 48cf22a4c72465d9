// npm run bench: speed and CPU of telemetry poll beside a bare axios loop and the flow that people build from core nodes.
import {
  type Competitor,
  startAxiosLoop,
  startCoreFlow,
  startHistoryFlow,
  startPollFlow,
  startService,
} from "./competitors";
import { isAxiosLoadedEarly, measureStartUp } from "./start-up";
import { median, RECORDS_PER_DAY, type Sample, sum, type Work } from "./work";

/** A year of one site. */
const DAYS = 365;
const ROUNDS = 5;
const SECONDS_PER_ROUND = 3;

/** Medians over the rounds. */
interface Result {
  name: string;
  /** Records per second. */
  rate: number;
  /** CPU seconds of the process for 1,000 records. */
  cpu: number;
  /** MiB by which a fresh process grew in its first run of the whole year. */
  grown: number;
}

const STARTERS = [startPollFlow, startHistoryFlow, startAxiosLoop, startCoreFlow];

/** In processes of their own: when V8 collects what it has promoted is partly luck. */
async function measureGrowth(start: (typeof STARTERS)[number], work: Work): Promise<number> {
  const grown: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const competitor = await start(work);
    grown.push(checked(await competitor.run()).grownMiB);
    await competitor.stop();
  }
  return median(grown);
}

async function measureSpeed(): Promise<Result[]> {
  const { work, stop } = await startService(DAYS);
  // The service makes its answers the first time that it is asked.
  const first = startAxiosLoop(work);
  await first.run();
  await first.stop();
  const grown: number[] = [];
  for (const start of STARTERS) grown.push(await measureGrowth(start, work));
  const competitors: Competitor[] = [];
  for (const start of STARTERS) competitors.push(await start(work));
  const samples = competitors.map((): Sample[] => []);
  // Warm-up: the engine has compiled what is hot.
  for (const competitor of competitors) checked(await competitor.run());
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, competitor] of competitors.entries()) samples[index]?.push(await measure(competitor));
  }
  await Promise.all(competitors.map((competitor) => competitor.stop()));
  await stop();
  return competitors.map(({ name }, index) => {
    const rounds = samples[index] ?? [];
    return {
      name,
      rate: median(rounds.map(({ records, seconds }) => records / seconds)),
      cpu: median(rounds.map(({ records, cpuSeconds }) => (cpuSeconds / records) * 1000)),
      grown: grown[index] ?? Number.NaN,
    };
  });
}

async function measure(competitor: Competitor): Promise<Sample> {
  const samples: Sample[] = [];
  while (sum(samples).seconds < SECONDS_PER_ROUND) samples.push(checked(await competitor.run()));
  return sum(samples);
}

/** A fast run that read too little would win. */
function checked(sample: Sample): Sample {
  if (sample.records !== DAYS * RECORDS_PER_DAY) throw new Error(`${sample.records} records came, not all`);
  return sample;
}

function goal(text: string, isReached: boolean): void {
  console.log(`${isReached ? "reached" : "MISSED "}  ${text}`);
  if (!isReached) process.exitCode = 1;
}

async function bench(): Promise<void> {
  console.log(
    `A year in days of ${RECORDS_PER_DAY} records as single messages; medians of ${ROUNDS} alternating rounds.`,
  );
  const results = await measureSpeed();
  const [poll, history, loop, core] = results;
  if (!poll || !history || !loop || !core) return;
  console.table(
    Object.fromEntries(
      results.map(({ name, rate, cpu, grown }) => [
        name,
        {
          "records/s": Math.round(rate),
          "CPU s / 1,000": cpu.toFixed(4),
          "speed to (a)": (rate / loop.rate).toFixed(2),
          "speed to (b)": (rate / core.rate).toFixed(2),
          "CPU to (a)": (cpu / loop.cpu).toFixed(2),
          "CPU to (b)": (cpu / core.cpu).toFixed(2),
          "MiB more": Math.round(grown),
        },
      ]),
    ),
  );
  const startUp = await measureStartUp();
  const added = startUp.with - startUp.without;
  console.log(
    `Start of Node-RED: ${startUp.without.toFixed(0)} ms; with the package ${startUp.with.toFixed(0)} ms.\n`,
  );
  for (const { name, rate, cpu } of [poll, history]) {
    goal(`${name}: at least 2.5 times the speed of (b)`, rate >= 2.5 * core.rate);
    goal(`${name}: at most half the CPU of (b)`, cpu <= core.cpu / 2);
    goal(`${name}: at least 0.6 of the speed of (a)`, rate >= 0.6 * loop.rate);
  }
  goal("history: at most 80 MiB more for a year", history.grown <= 80);
  goal(`at most 100 ms more to start (${added.toFixed(0)} ms)`, added <= 100);
  goal("axios is not loaded before the first request", !isAxiosLoadedEarly());
}

void bench();
