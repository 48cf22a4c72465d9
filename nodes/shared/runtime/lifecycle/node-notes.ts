// What a node notes about itself for its diagnostics: its settings, its runs, what failed lately, and where each of its series stands.
import { types } from "node:util";
import type { Node } from "node-red";
import { systemClock } from "../../../../src/clock";
import type { FailurePart, RunsPart, SeriesPart } from "../../../../src/diagnostics/report";
import { EnergyError } from "../../../../src/errors";
import { defined } from "../../../../src/objects";
import type { SeriesAddress } from "../../../../src/series/identity";
import type { StatisticPart } from "../../../../src/statistics/keeper";
import { failuresOf, publicError } from "../base/errors";
import type { NodeSettings } from "../base/settings";

const MAX_FAILURES = 10;

export type DescribedSettings = Pick<NodeSettings<unknown>, "table" | "stored">;

export class NodeNotes {
  readonly runs: RunsPart & { failures: FailurePart[] } = { count: 0, failures: [] };
  /** Absent for a node that was not described. */
  settings?: DescribedSettings;
  series: () => SeriesPart[] = () => [];
  statistics: () => StatisticPart[] = () => [];
  /** When the next scheduled run is due, in milliseconds. */
  nextRun: () => number | undefined = () => undefined;

  /** Notes that a run begins. Call the returned function when it has ended. */
  beginRun(isByMessage: boolean): (outcome: "succeeded" | "failed") => void {
    const began = systemClock.monotonic();
    const trigger = isByMessage ? "message" : "schedule or timer";
    const last: RunsPart["last"] = { at: systemClock.now(), trigger, outcome: "running" };
    this.runs.count += 1;
    this.runs.last = last;
    return (outcome) => {
      Object.assign(last, { outcome, duration: systemClock.monotonic() - began });
      if (outcome === "succeeded") this.runs.lastSuccess = systemClock.now();
    };
  }

  /** Notes what failed, whether or not that ended a run. */
  noteFailure(error: unknown, address?: SeriesAddress): void {
    const { failures } = this.runs;
    failures.push(...failuresIn(error, address, systemClock.now()));
    failures.splice(0, failures.length - MAX_FAILURES);
  }
}

const allNotes = new WeakMap<object, NodeNotes>();
/** Nodes in subflows, by the id that the editor knows; of several instances, the one started last. */
const instances = new Map<string, WeakRef<Node>>();

/** The notes of a node, for as long as the node exists. */
export function notesOf(node: Node): NodeNotes {
  const notes = allNotes.get(node) ?? new NodeNotes();
  allNotes.set(node, notes);
  return notes;
}

/** Must be called when a node starts that a report may be about. */
export function describeNode(node: Node, settings: DescribedSettings): void {
  notesOf(node).settings = settings;
  const { _alias: alias } = node as { _alias?: string };
  if (alias !== undefined) instances.set(alias, new WeakRef(node));
}

/** The node that runs for a node of a subflow. */
export function instanceOf(id: string): Node | undefined {
  return instances.get(id)?.deref();
}

/** A run over hundreds of systems may fail for each of them. */
const MAX_PARTS = 5;
const MAX_PLACES = 4;

/** A place in this package, in a line of a stack. */
const PLACE = /^\s+at .*[/\\]((?:src|nodes)(?:[/\\][a-z-]+){1,5}\.[jt]s:\d+:\d+)\)?$/;
const BUILT_IN = /^(Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/;

/** Code and text of an error, where it came from, and nothing that anyone else has written. */
export function failuresIn(error: unknown, address: SeriesAddress | undefined, at: number): FailurePart[] {
  return failuresOf(error)
    .slice(-MAX_PARTS)
    .map(({ error: failure, address: own = address }) => {
      const { code, text, details } = publicError(failure);
      const { statusCode } = details;
      return defined({ at, code, text, statusCode, address: own, origin: originOf(failure) });
    });
}

/** Only of an unexpected error: its text may hold anything, but where it came from helps to find the bug. */
function originOf(error: unknown): string[] | undefined {
  if (!types.isNativeError(error) || error instanceof EnergyError) return undefined;
  const { name, stack } = error as { name: unknown; stack?: unknown };
  const lines = typeof stack === "string" ? stack.split("\n") : [];
  const places = lines.flatMap((line) => PLACE.exec(line)?.[1] ?? []).slice(0, MAX_PLACES);
  return [...(typeof name === "string" && BUILT_IN.test(name) ? [name] : []), ...places];
}
