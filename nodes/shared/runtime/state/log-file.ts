// A log on disk: read as a whole, appended to, or replaced. What has been written survives a crash of the system.
import { constants } from "node:fs";
import { copyFile, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { reasonOf, StoreError } from "../../../../src/errors";

/** Only the user who runs Node-RED may read what is stored. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Undefined if there is no file. Throws StoreError. */
export async function readIfExists(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(undefinedIfAbsent);
}

/** In bytes; 0 if there is no file. Throws StoreError. */
export async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(undefinedIfAbsent))?.size ?? 0;
}

/** Puts new content in place of the file, which may not exist. There is always the old file or the new one. Throws StoreError. */
export async function replaceFile(path: string, content: Buffer): Promise<void> {
  const temporary = `${path}.new`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
    // A process that was killed meanwhile has left part of one.
    await rm(temporary, { force: true });
    // Rejects unless all of it is on the disk: a disk that is full takes part of it without an error.
    await writeFile(temporary, content, { mode: FILE_MODE, flush: true, flag: "wx" });
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw storeError("storeWritten", error);
  }
}

/** Copies the file, or leaves nothing of the copy. Throws StoreError. */
export async function copyAside(path: string, aside: string): Promise<void> {
  try {
    await copyFile(path, aside);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined);
    throw storeError("storeWritten", error);
  }
}

/** Appends to the file. Resolves to false if there is none, or if it was replaced meanwhile. Throws StoreError. */
export async function append(path: string, content: Buffer): Promise<boolean> {
  try {
    // Opened each time: another process, or a person, may have replaced the file.
    const file = await open(path, constants.O_WRONLY | constants.O_APPEND);
    try {
      await file.appendFile(content);
      await file.datasync();
      return (await file.stat()).nlink > 0;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isNotFound(error)) return false;
    throw storeError("storeWritten", error);
  }
}

/** Makes a new name durable. Not every system can open a folder; those that cannot need not. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

function undefinedIfAbsent(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw storeError("storeRead", error);
}

function isNotFound(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}

export function storeError(key: "storeRead" | "storeWritten", error: unknown): StoreError {
  return new StoreError(key, { reason: reasonOf(error) });
}
