// npm run bench: compares the speed and CPU time of the nodes with a bare axios loop and a flow of core nodes, in several shapes
// of work. `npm run bench -- days small` measures only the shapes whose names begin so; `--rounds=3` takes fewer rounds.
import { compare, type Ratio, type Result, type Results } from "./compare";
import { type Service, startService } from "./competitors";
import { benchFleet } from "./fleet/fleet";
import { benchStore } from "./fleet/store";
import { benchTotals } from "./totals";
import { benchWorkers } from "./fleet/workers";
import { goal } from "./goal";
import { growths, idleMemory } from "./memory";
import { type Shape, SHAPES } from "./shapes";
import { isLoadedEarly, measureStartUp } from "./start-up";
import { median } from "./work";

const ROUNDS = 5;
const MAX_START_MS = 100;
const MAX_IDLE_MIB = 10;
const MAX_GROWTH_MIB = 80;

function showTable({ loop, core, ...own }: Results): void {
  if (!loop || !core) return;
  const row = (result: Result): object => ({
    "records/s": Math.round(median(result.rates)),
    "CPU s / 1,000": median(result.cpus).toFixed(4),
    "speed to (a)": shown(result.speedTo(loop)),
    "speed to (b)": shown(result.speedTo(core)),
    "CPU to (a)": shown(result.cpuTo(loop)),
    "CPU to (b)": shown(result.cpuTo(core)),
    "service busy": median(result.serviceLoads).toFixed(2),
  });
  const results = [...Object.values(own), loop, core];
  console.table(Object.fromEntries(results.map((result) => [result.name, row(result)])));
}

/** With the least and the most of the rounds. */
function shown({ median, least, most }: Ratio): string {
  return `${median.toFixed(2)} (${least.toFixed(2)}-${most.toFixed(2)})`;
}

function showGoals({ goals }: Shape, { loop, core, ...own }: Results): void {
  if (!loop || !core) return;
  for (const result of Object.values(own)) {
    const [toLoop, toCore] = [result.speedTo(loop).median, result.speedTo(core).median];
    const cpu = result.cpuTo(core).median;
    const { name } = result;
    goal(
      `${name}: ${toCore.toFixed(2)} of at least ${goals.speedToCore} times the speed of (b)`,
      toCore >= goals.speedToCore,
    );
    goal(
      `${name}: ${toLoop.toFixed(2)} of at least ${goals.speedToLoop} times the speed of (a)`,
      toLoop >= goals.speedToLoop,
    );
    if (goals.cpuToCore !== undefined)
      goal(
        `${name}: ${cpu.toFixed(2)} of at most ${goals.cpuToCore} times the CPU of (b)`,
        cpu <= goals.cpuToCore,
      );
  }
}

async function measureShape(service: Service, shape: Shape, rounds: number): Promise<void> {
  console.log(`\n${shape.name}: ${shape.text}; ${shape.inFlight} in flight`);
  const results = await compare(service, shape, rounds);
  showTable(results);
  showGoals(shape, results);
}

async function measureMemory(service: Service): Promise<void> {
  const year = SHAPES.find(({ name }) => name === "year");
  if (!year) return;
  console.log("\nmemory");
  const idle = await idleMemory();
  goal(`${idle.toFixed(1)} of at most ${MAX_IDLE_MIB} MiB more while idle`, idle <= MAX_IDLE_MIB);
  const grown = await growths(service, year);
  const text = grown.map((growth) => growth.toFixed(0)).join(", ");
  goal(
    `history: ${text} of at most ${MAX_GROWTH_MIB} MiB more for a year`,
    Math.max(...grown) <= MAX_GROWTH_MIB,
  );
}

async function measureStart(): Promise<void> {
  console.log("\nstart");
  const startUp = await measureStartUp();
  const added = startUp.with - startUp.without;
  console.log(`Node-RED: ${startUp.without.toFixed(0)} ms; with the package ${startUp.with.toFixed(0)} ms`);
  goal(`${added.toFixed(0)} of at most ${MAX_START_MS} ms more to start`, added <= MAX_START_MS);
  goal("axios and luxon are not loaded before they are needed", !isLoadedEarly(["axios", "luxon"]));
}

async function bench(options: readonly string[]): Promise<void> {
  const names = options.filter((option) => !option.startsWith("--"));
  const isSelected = (name: string): boolean =>
    names.length === 0 || names.some((start) => name.startsWith(start));
  const rounds = Number(options.find((option) => option.startsWith("--rounds="))?.slice(9) ?? ROUNDS);
  console.log(`Single messages; medians of ${rounds} rounds with fresh processes, ratios within each round.`);
  const service = await startService();
  for (const shape of SHAPES) if (isSelected(shape.name)) await measureShape(service, shape, rounds);
  if (isSelected("memory")) await measureMemory(service);
  await service.stop();
  if (isSelected("start")) await measureStart();
  if (isSelected("fleet")) await benchFleet();
  // Compares what is not in use, so only on request.
  if (names.includes("store")) benchStore();
  if (names.includes("totals")) await benchTotals();
  if (names.includes("workers")) await benchWorkers();
}

void bench(process.argv.slice(2));
