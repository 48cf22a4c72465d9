// Temporary folders that are deleted when the test run ends.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let root: string | undefined;

export function temporaryFolder(): string {
  root ??= temporaryRoot();
  return mkdtempSync(join(root, "folder-"));
}

function temporaryRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), "energy-sites-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
