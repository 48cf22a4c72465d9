// Runs Node-RED as a child process, on loopback only, for the demo and the tests.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const HOST = "127.0.0.1";
const START_TIMEOUT = 120_000;
/** Node-RED gives its nodes 15 s to close. */
const STOP_TIMEOUT = 20_000;

const SETTINGS = {
  uiHost: HOST,
  flowFile: "flows.json",
  "telemetry.enabled": false,
  "editorTheme.tours": false,
};

export function startNodeRed({
  node = process.execPath,
  folder,
  userDir,
  port,
  settingsFile,
  settings = {},
  env = {},
  onOutput,
}) {
  const overrides = Object.entries({ ...SETTINGS, ...settings }).flatMap(([key, value]) => [
    "-D",
    `${key}=${JSON.stringify(value)}`,
  ]);
  const options = ["-u", userDir, "-p", String(port), ...(settingsFile ? ["-s", settingsFile] : [])];
  const child = spawn(node, [join(folder, "red.js"), ...options, ...overrides], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = `http://${HOST}:${port}`;
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      onOutput?.(text);
    });
  }
  // Stop Node-RED whenever this process exits.
  const endChild = () => child.kill();
  process.once("exit", endChild);
  const exited = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      process.off("exit", endChild);
      resolve(code);
    });
  });
  const starting = new AbortController();
  const died = exited.then((code) => {
    starting.abort();
    throw new Error(`Node-RED exited with code ${code}:\n${output}`);
  });
  // Only `ready` reports this; once Node-RED is ready, its exit is not a failure.
  died.catch(() => undefined);

  return {
    url,
    pid: child.pid,
    output: () => output,
    exited,
    ready: Promise.race([answers(`${url}/auth/login`, starting.signal), died]),
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT);
      const code = await exited;
      clearTimeout(timer);
      return code;
    },
    /** Simulates a crash: nothing is closed or saved. */
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function answers(url, signal) {
  const deadline = Date.now() + START_TIMEOUT;
  while (Date.now() < deadline && !signal.aborted) {
    const response = await fetch(url, { signal }).catch(() => undefined);
    if (response?.ok) return;
    await pause(100);
  }
  throw new Error(`Node-RED does not respond at ${url}`);
}

/** Finds a free port, starting from the preferred one; 0 means any port. */
export async function freePort(preferred = 0) {
  for (let port = preferred; port < 65_536; port += 1) {
    const found = await listenOnce(port);
    if (found !== undefined) return found;
  }
  throw new Error(`No free port at or above ${preferred}`);
}

async function listenOnce(port) {
  const server = createServer();
  const listening = new Promise((resolve) => {
    server.once("error", () => resolve(undefined));
    server.listen(port, HOST, () => resolve(server.address().port));
  });
  const found = await listening;
  await new Promise((resolve) => server.close(resolve));
  return found;
}
