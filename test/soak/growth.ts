// Samples what a process holds, and fits how fast it grows.
import { getEventListeners } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { getHeapCodeStatistics } from "node:v8";
import { HOUR } from "../../src/time-units";
import type { Problems } from "./problems";

/** How much of something may be added in an hour, as fitted over all samples. */
const TOLERANCES = {
  /** In KiB: in the first hours, V8 still learns which code is hot. */
  heap: { short: 500, whole: 150 },
  handles: { short: 1, whole: 0.3 },
  timers: { short: 1, whole: 0.3 },
  listeners: { short: 0.5, whole: 0.3 },
  abortListeners: { short: 1, whole: 0.3 },
  openFiles: { short: 1, whole: 0.3 },
  files: { short: 0.5, whole: 0.05 },
} as const;

export type Measure = keyof typeof TOLERANCES;
export type Sample = Record<Measure, number> & { at: number };

export const MEASURES = Object.keys(TOLERANCES) as Measure[];

/** All signals of the process that anybody listened to and that have not been collected. */
const signals = new Set<WeakRef<AbortSignal>>();

/** From now on, notes every AbortSignal that gets a listener. */
export function watchSignals(): void {
  const known = new WeakSet<AbortSignal>();
  const { prototype } = AbortSignal;
  type Add = (this: AbortSignal, ...parameters: Parameters<AbortSignal["addEventListener"]>) => void;
  const original = Reflect.get(prototype, "addEventListener") as Add;
  prototype.addEventListener = function add(...parameters: Parameters<Add>) {
    if (!known.has(this)) {
      known.add(this);
      signals.add(new WeakRef(this));
    }
    original.apply(this, parameters);
  };
}

/** Forgets the signals that have been collected. */
function listenersOfSignals(): number {
  let count = 0;
  for (const reference of signals) {
    const signal = reference.deref();
    if (signal) count += getEventListeners(signal, "abort").length;
    else signals.delete(reference);
  }
  return count;
}

interface Parts {
  now: number;
  timers: number;
  emitters: readonly NodeJS.EventEmitter[];
  userDir: string;
}

/** @param parts.emitters whose listeners to count, besides those of the process */
export async function sample({ now, timers, emitters, userDir }: Parts): Promise<Sample> {
  const { gc } = globalThis;
  if (!gc) throw new Error("Run node with --expose-gc");
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn();
    gc();
  }
  return {
    at: now,
    heap: heapKiB(),
    handles: process.getActiveResourcesInfo().length,
    timers,
    listeners: [process, ...emitters].reduce((sum, emitter) => sum + listenersOf(emitter), 0),
    abortListeners: listenersOfSignals(),
    openFiles: process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0,
    files: filesIn(userDir),
  };
}

/** Without compiled code, which grows for hours as functions become hot. */
function heapKiB(): number {
  const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics();
  return (process.memoryUsage().heapUsed - code - bytecode) / 1024;
}

/** Without what links lead to. */
function filesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce(
    (sum, entry) => sum + (entry.isDirectory() ? filesIn(join(folder, entry.name)) : 1),
    0,
  );
}

function listenersOf(emitter: NodeJS.EventEmitter): number {
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
}

/** How much a measure grows in an hour: the median of the slopes of all pairs, which a few outliers do not move. */
export function growthPerHour(samples: readonly { at: number; value: number }[]): number {
  const slopes = samples.flatMap((one, index) =>
    samples.slice(index + 1).map((other) => ((other.value - one.value) / (other.at - one.at)) * HOUR),
  );
  slopes.sort((one, other) => one - other);
  const middle = Math.floor(slopes.length / 2);
  if (slopes.length % 2 === 1) return slopes[middle] ?? 0;
  return ((slopes[middle - 1] ?? 0) + (slopes[middle] ?? 0)) / 2;
}

/** @returns the growth of each measure, as text */
export function checkGrowth(samples: readonly Sample[], form: "short" | "whole", problems: Problems): string {
  const texts = MEASURES.map((measure) => {
    const growth = growthPerHour(samples.map((one) => ({ at: one.at, value: one[measure] })));
    const text = `${measure} ${growth.toFixed(2)}`;
    const tolerance = TOLERANCES[measure][form];
    if (growth > tolerance) {
      const values = samples.map((one) => Math.round(one[measure])).join(", ");
      problems.add(`${text} an hour is more than ${tolerance}: ${values}`);
    }
    return text;
  });
  return texts.join(", ");
}
