// Runs a real Node-RED, with or without the package from this checkout, in its own process and user directory.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";
import { temporaryFolder } from "../support/temporary";
import { freePort, startNodeRed } from "../../tools/node-red.mjs";
import { atExit } from "./cleanup";
import type { CounterJob } from "./counter";
import { CREDENTIALS } from "./flows";
import type { Sample } from "./work";

export const ROOT = join(__dirname, "..", "..");
const NODE_RED = dirname(require.resolve("node-red/package.json"));
const RUN_TIMEOUT = 60_000;

export interface Rig {
  run(job: CounterJob): Promise<Sample>;
  /** Resident memory in MiB after a garbage collection. */
  memory(): Promise<number>;
  stop: () => Promise<void>;
}

export function userDirectory(withPackage: boolean): string {
  const userDir = temporaryFolder();
  if (!withPackage) return userDir;
  const folder = join(userDir, "node_modules", "@energy-sites", "node-red");
  mkdirSync(folder, { recursive: true });
  // Link only what is published: otherwise Node-RED would also load nodes from the development dependencies.
  for (const name of ["package.json", "dist"]) symlinkSync(join(ROOT, name), join(folder, name));
  return userDir;
}

/** Starts Node-RED and waits until its flows have started. */
export async function launch(userDir: string): Promise<{ url: string; stop: () => Promise<void> }> {
  let onStarted = (): void => undefined;
  const started = new Promise<void>((resolve) => (onStarted = resolve));
  const nodeRed = startNodeRed({
    folder: NODE_RED,
    userDir,
    port: await freePort(),
    settings: { "editorTheme.palette.catalogues": [], credentialSecret: false },
    onOutput: (text) => {
      if (text.includes("Started flows")) onStarted();
    },
  });
  const stop = async (): Promise<void> => void (await nodeRed.stop());
  atExit(() => void stop());
  await Promise.race([started, nodeRed.exited]);
  await nodeRed.ready;
  return { url: nodeRed.url, stop };
}

export async function startRig(flow: object[], withPackage = true): Promise<Rig> {
  const userDir = userDirectory(withPackage);
  addCounter(userDir);
  writeFileSync(join(userDir, "flows.json"), JSON.stringify(flow));
  writeFileSync(join(userDir, "flows_cred.json"), JSON.stringify(CREDENTIALS));
  const { url, stop } = await launch(userDir);

  async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
    const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(RUN_TIMEOUT) });
    if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }
  return {
    run: (job) => {
      const headers = { "Content-Type": "application/json" };
      return request("/bench/run", { method: "POST", headers, body: JSON.stringify(job) });
    },
    memory: () => request("/bench/memory", { method: "POST" }),
    stop,
  };
}

function addCounter(userDir: string): void {
  const folder = join(userDir, "nodes");
  const entryPoints = [join(__dirname, "counter.ts")];
  buildSync({ entryPoints, outdir: folder, bundle: true, platform: "node", format: "cjs" });
  const registration = 'RED.nodes.registerType("bench-counter", { defaults: {}, inputs: 1, outputs: 1 });';
  writeFileSync(join(folder, "counter.html"), `<script type="text/javascript">${registration}</script>\n`);
}
