// Measures how much the package slows down Node-RED's start, and checks that its HTTP client is loaded lazily.
import { execFileSync } from "node:child_process";
import { launch, ROOT, userDirectory } from "./rig";

const STARTS = 7;

/** Milliseconds from process start until the flows have started; the minimum of several runs, as load only adds time. */
export interface StartUp {
  without: number;
  with: number;
}

/** Alternates starts with and without the package, so that both run under the same load. */
export async function measureStartUp(): Promise<StartUp> {
  const folders = { without: userDirectory(false), with: userDirectory(true) };
  // The first start prepares the user directory and warms the disk cache.
  await startOnce(folders.without);
  await startOnce(folders.with);
  const times = { without: [] as number[], with: [] as number[] };
  for (let round = 0; round < STARTS; round += 1) {
    times.without.push(await startOnce(folders.without));
    times.with.push(await startOnce(folders.with));
  }
  return { without: Math.min(...times.without), with: Math.min(...times.with) };
}

async function startOnce(userDir: string): Promise<number> {
  const start = performance.now();
  const nodeRed = await launch(userDir);
  const time = performance.now() - start;
  await nodeRed.stop();
  return time;
}

/** Whether loading all nodes also loads one of these libraries. */
export function isLoadedEarly(libraries: string[]): boolean {
  const script = `
    const { join, sep } = require("node:path");
    const { nodes } = require(join(process.cwd(), "package.json"))["node-red"];
    for (const file of Object.values(nodes)) require(join(process.cwd(), file));
    const loaded = Object.keys(require.cache);
    const isLoaded = (name) => loaded.some((file) => file.includes(["", "node_modules", name, ""].join(sep)));
    process.stdout.write(String(${JSON.stringify(libraries)}.some(isLoaded)));`;
  return execFileSync(process.execPath, ["-e", script], { cwd: ROOT, encoding: "utf8" }) === "true";
}
