// The files of earlier versions, one for each state: read once, moved to the log, and removed.
import { readdir, rmdir, unlink } from "node:fs/promises";
import type { StateLog } from "./state-log";
import { isNotFound, storeError } from "./store-errors";

/** The files of damaged states and those of interrupted writes have other endings. */
export const OLD_ENDING = ".json";

/** The names of the old files in a folder; none if there is no folder. Throws StoreError. */
export async function oldFilesIn(folder: string): Promise<Set<string>> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isNotFound(error)) return [];
    throw storeError("storeRead", error);
  });
  return new Set(names.filter((name) => name.endsWith(OLD_ENDING)));
}

/** By log: the old files beside it, read once. */
const besideLogs = new WeakMap<StateLog, Promise<Set<string>>>();

/** The names of the old files in the folder of a log. Throws StoreError. */
export function oldFilesBeside(log: StateLog, folder: string): Promise<Set<string>> {
  const names = besideLogs.get(log) ?? oldFilesIn(folder);
  besideLogs.set(log, names);
  names.catch(() => besideLogs.delete(log));
  return names;
}

/** After its state is in the log. A file that cannot be removed does no harm: the log counts. */
export async function removeOldFile(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/** Removes the folder of a group, if nothing is left in it. */
export async function removeOldFolder(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}
