// Combines the examples into one flow. Config nodes that several examples share, such as the demo account, appear once.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function exampleFlow(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const nodes = files.toSorted().flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  return [...new Map(nodes.map((node) => [node.id, node])).values()];
}
