// Measures memory: what the package adds to an idle Node-RED, and how much a history of a year makes it grow.
import { type Service, STARTERS } from "./competitors";
import { emptyFlow, idleFlow } from "./flows";
import { startRig } from "./rig";
import type { Shape } from "./shapes";
import { median } from "./work";

const PAIRS = 5;
const PROCESSES = 10;

/** MiB that the package adds to the resident memory of Node-RED while its nodes wait: the median of several pairs. */
export async function idleMemory(): Promise<number> {
  const added: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const without = await memoryOf(emptyFlow(), false);
    added.push((await memoryOf(idleFlow(), true)) - without);
  }
  return median(added);
}

async function memoryOf(flow: object[], withPackage: boolean): Promise<number> {
  const rig = await startRig(flow, withPackage);
  const memory = await rig.memory();
  await rig.stop();
  return memory;
}

/** By how many MiB each of several processes grows in its first run. */
export async function growths(service: Service, year: Shape): Promise<number[]> {
  const grown: number[] = [];
  for (let count = 0; count < PROCESSES; count += 1) {
    const competitor = await STARTERS.history(service, year);
    grown.push((await competitor.run()).grownMiB);
    await competitor.stop();
  }
  return grown;
}
