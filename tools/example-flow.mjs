// Combines the examples into one flow. Config nodes that several examples share, such as the demo account, appear once.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** From a package that is not installed here. Node-RED starts no flow at all while the type of a node is missing. */
const NOT_INSTALLED = ["ha-api", "postgresql"];

export function exampleFlow(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const examples = files.toSorted().map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  const nodes = examples
    .filter((example) => !example.some(({ type }) => NOT_INSTALLED.includes(type)))
    .flat();
  return [...new Map(nodes.map((node) => [node.id, node])).values()];
}
