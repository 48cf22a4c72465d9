// Reads the example flows.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./package";
import type { FlowNode } from "./runtime";

const FOLDER = join(ROOT, "examples");

export const exampleNames = readdirSync(FOLDER).toSorted();

export function readExample(name: string): FlowNode[] {
  return JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as FlowNode[];
}

/** The palette nodes of this package in a flow, without the account. */
export function paletteNodes(flow: FlowNode[]): FlowNode[] {
  return flow.filter(({ type }) => type.startsWith("energy-") && type !== "energy-account");
}
