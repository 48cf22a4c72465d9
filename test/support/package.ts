// The package as users get it: packed by npm from the built dist/, and installed in a separate folder.
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
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

/** The package of this test run. */
interface SharedPackage {
  tarball: Tarball;
  /** A user directory with the tarball installed. */
  folder: string;
}

/** Tells the processes of a test run where the package is. */
const SHARED = "ENERGY_SITES_TEST_PACKAGE";

/** Packs the package, as npm would publish it, and installs it. */
export async function sharePackage(): Promise<void> {
  const tarball = await pack();
  const shared: SharedPackage = { tarball, folder: await install(tarball) };
  process.env[SHARED] = JSON.stringify(shared);
}

async function sharedPackage(): Promise<SharedPackage> {
  // A single file may run without the setup of the suite.
  if (process.env[SHARED] === undefined) await sharePackage();
  return JSON.parse(process.env[SHARED] ?? "") as SharedPackage;
}

export async function packedPackage(): Promise<Tarball> {
  return (await sharedPackage()).tarball;
}

/** The user directory in which the tarball was installed, to read from. */
export async function installedPackage(): Promise<string> {
  return (await sharedPackage()).folder;
}

/** Creates a user directory with the same installation, a new one for each call. */
export async function newUserDirectory(): Promise<string> {
  const folder = await installedPackage();
  const userDir = temporaryFolder();
  copyFileSync(join(folder, "package.json"), join(userDir, "package.json"));
  symlinkSync(join(folder, "node_modules"), join(userDir, "node_modules"), "dir");
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

async function install({ path }: Tarball): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user-directory", private: true }));
  const options = ["--omit=dev", "--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, path], { cwd: folder });
  return folder;
}
