// npm run bench -- store: compares ways of storing the states of 10,000 systems.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { NODE_RED_5 } from "../../support/runtime";
import { temporaryFolder } from "../../support/temporary";
import { CANDIDATES, STATES } from "./store-candidates";
import type { LoadFigures, StoreFigures } from "./store-process";

export function benchStore(): void {
  const outfile = join(temporaryFolder(), "store-process.cjs");
  const entryPoints = [join(__dirname, "store-process.ts")];
  buildSync({
    entryPoints,
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["node:sqlite"],
  });
  const rows: Record<string, object> = {};
  for (const name of Object.keys(CANDIDATES)) {
    // Node.js 20 has no SQLite of its own.
    const node = name.startsWith("node:sqlite") ? NODE_RED_5.node : process.execPath;
    if (!existsSync(node)) continue;
    const folder = join(temporaryFolder(), "states");
    const measure = (what: string): unknown =>
      JSON.parse(execFileSync(node, [outfile, name, folder, what], { encoding: "utf8" }));
    const write = measure("write") as StoreFigures;
    const load = measure("load") as LoadFigures;
    rows[name] = {
      "CPU ms a state": write.cpu.toFixed(3),
      "bytes a state": Math.round(write.bytes) || "-",
      "on disk": write.diskBytes === undefined ? "-" : Math.round(write.diskBytes),
      "fsyncs a run": Math.round(write.fsyncs),
      "s a run": write.seconds.toFixed(1),
      "longest delay, ms": Math.round(write.delay),
      "load, ms": Math.round(load.seconds * 1000),
      "delay of load, ms": Math.round(load.delay),
    };
  }
  console.log(`${STATES} states, each written once a run, 16 at a time; a run ends when all are durable.`);
  console.table(rows);
}
