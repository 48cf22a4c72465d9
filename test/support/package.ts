// The package as users get it: packed by npm from the built dist/, and installed in a separate folder.
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "./temporary";

const run = promisify(execFile);

export const ROOT = join(__dirname, "..", "..");
export const MODULE = "@energy-sites/node-red";

interface Manifest {
  name: string;
  version: string;
  license: string;
  keywords: string[];
  engines: { node: string };
  homepage: string;
  author: string;
  repository: { url: string };
  publishConfig: object;
  dependencies: Record<string, string>;
  "node-red": { version: string; nodes: Record<string, string> };
}

export const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;

/** The names of the node sets and of their folders; the node types are `energy-NAME`. */
export const setNames = Object.keys(manifest["node-red"].nodes);

/** Tells the processes of a test run in which user directory the package is installed. */
const SHARED = "ENERGY_SITES_TEST_PACKAGE";

/** Packs the package, as npm would publish it, and installs what was packed. */
export async function sharePackage(): Promise<void> {
  if (!existsSync(join(ROOT, "dist"))) throw new Error("dist/ is missing: run npm run build first");
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user-directory", private: true }));
  // With --install-links npm packs the project: otherwise it would link to it.
  const options = ["--install-links", "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, ROOT], { cwd: folder });
  process.env[SHARED] = folder;
}

/** The user directory in which the package is installed, to read from. */
export async function installedPackage(): Promise<string> {
  // A single file may run without the setup of the suite.
  if (process.env[SHARED] === undefined) await sharePackage();
  return process.env[SHARED] ?? "";
}

/** The paths of all files in the package. */
export async function packedFiles(): Promise<string[]> {
  const folder = join(await installedPackage(), "node_modules", MODULE);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** Creates a user directory with the same installation, a new one for each call. */
export async function newUserDirectory(): Promise<string> {
  const folder = await installedPackage();
  const userDir = temporaryFolder();
  copyFileSync(join(folder, "package.json"), join(userDir, "package.json"));
  symlinkSync(join(folder, "node_modules"), join(userDir, "node_modules"), "dir");
  return userDir;
}
