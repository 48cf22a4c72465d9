// Combines the examples into one flow. Config nodes that several examples share, such as the demo account, appear once.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = join(dirname(dirname(fileURLToPath(import.meta.url))), "node_modules");
/** Types of other packages. Node-RED starts no flow at all while the type of a node is missing. */
const OF_OTHERS = {
  "ha-api": "node-red-contrib-home-assistant-websocket",
  postgresql: "node-red-contrib-postgresql",
};
const NOT_INSTALLED = Object.keys(OF_OTHERS).filter((type) => !existsSync(join(MODULES, OF_OTHERS[type])));

export function exampleFlow(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const examples = files.toSorted().map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  const nodes = examples
    .filter((example) => !example.some(({ type }) => NOT_INSTALLED.includes(type)))
    .flat();
  return [...new Map(nodes.map((node) => [node.id, node])).values()];
}
