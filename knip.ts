// What knip takes for used: what Node-RED, npm, mocha or a person starts. All else must be imported by something.
import type { KnipConfig } from "knip";
import manifest from "./package.json";

const nodes = Object.values(manifest["node-red"].nodes).map((path) =>
  path.replace(/^dist\//, "").replace(/\.js$/, ""),
);

const config: KnipConfig = {
  entry: [
    ...nodes.flatMap((node) => [`${node}.ts`, `${node}.editor.ts`]),
    "tools/*.mjs",
    "test/**/*.test.ts",
    "test/bench/*.ts",
    "test/bench/fleet/*-process.ts",
    "test/bench/fleet/fleet-node.ts",
  ],
  // The documentation site is a package of its own.
  project: ["src/**/*.ts", "nodes/**/*.ts", "tools/*.mjs", "test/**/*.ts"],
  ignoreDependencies: [
    "@flowfuse/node-red-dashboard",
    "node-red-contrib-home-assistant-websocket",
    "node-red-contrib-influxdb",
  ],
  typescript: ["tsconfig.json", "nodes/tsconfig.json", "test/tsconfig.json"],
  ignoreExportsUsedInFile: { interface: true, type: true },
};

export default config;
