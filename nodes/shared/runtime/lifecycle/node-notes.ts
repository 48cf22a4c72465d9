// What a node notes about itself for its diagnostics: its settings, its runs, and where each of its series stands.
import type { Node } from "node-red";
import { setNewest } from "../../../../src/bounded-map";
import type { SeriesAddress } from "../../../../src/ledger/record-id";
import { seriesId } from "../../../../src/ledger/record-id";
import type { FailingPart, NodePart, SeriesPart } from "../../../../src/diagnostics/parts";
import type { Settings } from "../../../../src/settings/kinds";
import { RecentRuns } from "./recent-runs";

/** How many series a latest value node may have read: messages may name any site. */
const MAX_NEWEST = 100;

/** What fails, with the number of scheduled runs that leave it out, and the latest time of the next attempt. */
export type FailingNote = Omit<FailingPart, "nextAttempt"> & { runsLeft: number; latest: number };

interface DescribedSettings {
  readonly table: Settings;
  /** As in the flow file. */
  readonly stored: Readonly<Record<string, unknown>>;
  /** Minutes; absent for a node that does not run by itself. */
  readonly values?: { readonly repeat?: number };
}

export class NodeNotes {
  readonly runs = new RecentRuns();
  /** Absent for a node that was not described. */
  settings?: DescribedSettings;
  /** Where the series of a poll stand. */
  series: () => SeriesPart[] = () => [];
  /** What fails by itself among several series. */
  readonly failing: (() => FailingNote[])[] = [];
  readonly #newest = new Map<string, NodePart["newest"][number]>();

  /** Notes the newest record of a series: its end in milliseconds, or undefined if there is none. */
  noteNewest(address: SeriesAddress, end: number | undefined): void {
    setNewest(this.#newest, seriesId(address, "telemetry"), { address, end }, MAX_NEWEST);
  }

  get newest(): NodePart["newest"] {
    return [...this.#newest.values()];
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

/** Must be called when a node starts that the editor may ask about. */
export function describeNode(node: Node, settings: DescribedSettings): void {
  notesOf(node).settings = settings;
  const { _alias: alias } = node as { _alias?: string };
  if (alias !== undefined) instances.set(alias, new WeakRef(node));
}

/** The node that runs for a node of a subflow. */
export function instanceOf(id: string): Node | undefined {
  return instances.get(id)?.deref();
}
