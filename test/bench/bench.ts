// npm run bench: compares the speed and CPU time of the nodes with a bare axios loop and a flow of core nodes.
import {
  type Competitor,
  startAxiosLoop,
  startCoreFlow,
  startHistoryFlow,
  startPollFlow,
  startService,
} from "./competitors";
import { isLoadedEarly, measureStartUp } from "./start-up";
import { median, RECORDS_PER_DAY, type Sample, sum } from "./work";

/** A year of one site. */
const DAYS = 365;
const ROUNDS = 7;
/** Measured after a first run over the whole year. */
const SECONDS_PER_ROUND = 2;

/** The measurements of each round. */
interface Result {
  name: string;
  /** Records per second. */
  rates: number[];
  /** CPU seconds per 1,000 records. */
  cpus: number[];
  /** Memory growth during the first run over the whole year, in MiB. */
  grown: number[];
}

const STARTERS = [startPollFlow, startHistoryFlow, startAxiosLoop, startCoreFlow];

/** Starts new processes for each round, because V8 optimizes each process differently. */
async function measureAll(): Promise<Result[]> {
  const { work, stop } = await startService(DAYS);
  // The first run fills the cache of the service.
  const first = startAxiosLoop(work);
  await first.run();
  await first.stop();
  const results = STARTERS.map((): Result => ({ name: "", rates: [], cpus: [], grown: [] }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, start] of STARTERS.entries()) {
      const competitor = await start(work);
      const result = results[index];
      if (result) await measure(competitor, result);
      await competitor.stop();
    }
  }
  await stop();
  return results;
}

/** The first run over the year measures memory growth and warms the process up. */
async function measure(competitor: Competitor, result: Result): Promise<void> {
  result.name = competitor.name;
  result.grown.push(checked(await competitor.run()).grownMiB);
  const samples: Sample[] = [];
  while (sum(samples).seconds < SECONDS_PER_ROUND) samples.push(checked(await competitor.run()));
  const { records, seconds, cpuSeconds } = sum(samples);
  result.rates.push(records / seconds);
  result.cpus.push((cpuSeconds / records) * 1000);
}

/** The median of the ratios of each round, so that competitors are compared under the same machine load. */
function ratio(values: number[], others: number[]): number {
  return median(values.map((value, round) => value / (others[round] ?? Number.NaN)));
}

/** Rejects incomplete runs, which would look fast. */
function checked(sample: Sample): Sample {
  if (sample.records !== DAYS * RECORDS_PER_DAY)
    throw new Error(`${sample.records} records arrived, not all`);
  return sample;
}

function goal(text: string, isReached: boolean): void {
  console.log(`${isReached ? "reached" : "MISSED "}  ${text}`);
  if (!isReached) process.exitCode = 1;
}

async function bench(): Promise<void> {
  console.log(
    `A year of days with ${RECORDS_PER_DAY} records each, as single messages; medians of ${ROUNDS} rounds, ratios within each round.`,
  );
  const results = await measureAll();
  const [poll, history, loop, core] = results;
  if (!poll || !history || !loop || !core) return;
  console.table(
    Object.fromEntries(
      results.map(({ name, rates, cpus, grown }) => [
        name,
        {
          "records/s": Math.round(median(rates)),
          "CPU s / 1,000": median(cpus).toFixed(4),
          "speed to (a)": ratio(rates, loop.rates).toFixed(2),
          "speed to (b)": ratio(rates, core.rates).toFixed(2),
          "CPU to (a)": ratio(cpus, loop.cpus).toFixed(2),
          "CPU to (b)": ratio(cpus, core.cpus).toFixed(2),
          "MiB more": Math.round(median(grown)),
        },
      ]),
    ),
  );
  const startUp = await measureStartUp();
  const added = startUp.with - startUp.without;
  console.log(
    `Start of Node-RED: ${startUp.without.toFixed(0)} ms; with the package ${startUp.with.toFixed(0)} ms.\n`,
  );
  for (const { name, rates, cpus } of [poll, history]) {
    goal(`${name}: at least 2.5 times the speed of (b)`, ratio(rates, core.rates) >= 2.5);
    goal(`${name}: at most half the CPU of (b)`, ratio(cpus, core.cpus) <= 0.5);
    goal(`${name}: at least 0.6 of the speed of (a)`, ratio(rates, loop.rates) >= 0.6);
  }
  goal("history: at most 80 MiB more for a year", median(history.grown) <= 80);
  goal(`at most 100 ms more to start (${added.toFixed(0)} ms)`, added <= 100);
  goal("axios and luxon are not loaded before they are needed", !isLoadedEarly(["axios", "luxon"]));
}

void bench();
