// What the system tests need beyond npm. If it is missing, a test is skipped and names the install command; in CI it fails.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Context } from "mocha";
import { NODE_RED_4_0, NODE_RED_5, type RuntimeVersion } from "./runtime";

/** Debian installs daemons outside a user's search path. */
const DAEMONS = "/usr/sbin";

export const chromium = debianProgram("chromium", "chromium fonts-liberation");
export const mosquitto = debianProgram("mosquitto");
export const influxdb = debianProgram("influxd", "influxdb");
export const nodeRed40 = otherNodeRed(NODE_RED_4_0);
export const nodeRed5 = otherNodeRed(NODE_RED_5);

interface Requirement {
  /** Absent if not installed. */
  path: string | undefined;
  install: string;
}

/** Call this first in a suite's `before`. Returns the path. */
export function needed({ path, install }: Requirement, suite: Context): string {
  if (path !== undefined) return path;
  const advice = `Missing for this test: ${install}`;
  if (process.env["CI"]) throw new Error(advice);
  process.stderr.write(`  ${advice}\n`);
  return suite.skip();
}

function debianProgram(name: string, debianPackage = name): Requirement {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), DAEMONS];
  const path = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  return { path, install: `apt-get install ${debianPackage}` };
}

function otherNodeRed({ folder, node }: RuntimeVersion): Requirement {
  const path = existsSync(folder) && existsSync(node) ? folder : undefined;
  return { path, install: "npm run system:install" };
}
