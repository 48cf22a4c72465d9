// What the logs in a user directory hold, read as a person would: line by line.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface StoredLine {
  path: string;
  owner: Record<string, string>;
  id: string;
  /** Undefined if the line removes the state. */
  state: unknown;
}

/** Those of palette nodes. */
export function logsIn(userDir: string): string[] {
  return allLogsIn(userDir).filter((path) => !isOfAccount(path));
}

/** What the accounts remember of their sites, by line. */
export function storedSites(userDir: string): unknown[] {
  return allLogsIn(userDir)
    .filter(isOfAccount)
    .flatMap((path) => linesOf(path))
    .map(({ state }) => state)
    .filter((state) => typeof state === "object" && state !== null && "siteId" in state);
}

function allLogsIn(userDir: string): string[] {
  const folder = join(userDir, "energy-sites");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folder, name));
}

function isOfAccount(path: string): boolean {
  const [header = ""] = readFileSync(path, "utf8").split("\n", 1);
  const { nodeId, accountId } = JSON.parse(header) as Record<string, string>;
  return nodeId !== undefined && nodeId === accountId?.replace(":demo", "");
}

/** Every line of every log, in order, without the headers. */
export function storedLines(userDir: string): StoredLine[] {
  return logsIn(userDir).flatMap(linesOf);
}

/** The newest line of each state that was not removed, by its owner and id. */
export function storedStates(userDir: string): Map<string, StoredLine> {
  const newest = new Map<string, StoredLine>();
  for (const line of storedLines(userDir)) {
    const name = JSON.stringify([line.owner, line.id]);
    if (line.state === undefined) newest.delete(name);
    else newest.set(name, line);
  }
  return newest;
}

function linesOf(path: string): StoredLine[] {
  const [header = "{}", ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  const owner = JSON.parse(header) as Record<string, string>;
  return lines.map((line) => {
    const [id, state] = JSON.parse(line) as [string, unknown?];
    return { path, owner, id, state };
  });
}
