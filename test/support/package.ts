// The package as users get it: packed by npm from the built dist/, and installed in a separate folder.
import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

export interface Tarball {
  path: string;
  /** Paths within the package. */
  files: string[];
}

let packing: Promise<Tarball> | undefined;
let installing: Promise<string> | undefined;

/** Packs the package once per test run, as npm would publish it. */
export function packedPackage(): Promise<Tarball> {
  packing ??= pack();
  return packing;
}

/** Creates a user directory with the tarball installed, a new one for each call. */
export async function installedPackage(): Promise<string> {
  installing ??= install();
  const userDir = temporaryFolder();
  cpSync(await installing, userDir, { recursive: true });
  return userDir;
}

async function pack(): Promise<Tarball> {
  if (!existsSync(join(ROOT, "dist"))) throw new Error("dist/ is missing: run npm run build first");
  const folder = temporaryFolder();
  const options = ["--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", ["pack", ...options], { cwd: ROOT });
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  if (!packed) throw new Error("npm packed nothing");
  return { path: join(folder, packed.filename), files: packed.files.map(({ path }) => path) };
}

async function install(): Promise<string> {
  const { path } = await packedPackage();
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user-directory", private: true }));
  const options = ["--omit=dev", "--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, path], { cwd: folder });
  return folder;
}
