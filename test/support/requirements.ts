// What the system tests need beyond npm. Missing, a test is skipped with the command that installs it; in CI it fails.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Context } from "mocha";
import { NODE_RED_4_0, NODE_RED_5, type RuntimeVersion } from "./runtime";

/** Debian keeps daemons where a person's search path does not look. */
const DAEMONS = "/usr/sbin";

export const chromium = debianProgram("chromium");
export const mosquitto = debianProgram("mosquitto");
export const influxdb = debianProgram("influxd", "influxdb");
export const nodeRed40 = otherNodeRed(NODE_RED_4_0);
export const nodeRed5 = otherNodeRed(NODE_RED_5);

interface Requirement {
  /** Absent: it is not installed. */
  path: string | undefined;
  install: string;
}

/** Call it first in a suite's `before`. Answers with the path. */
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
