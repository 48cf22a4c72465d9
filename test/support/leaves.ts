// Collects every text in a value, however deep and in properties of every kind, to search it for secrets.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Names of properties count too. */
export function textsIn(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  return Object.getOwnPropertyNames(value).flatMap((name) => [
    name,
    ...textsIn((value as Record<string, unknown>)[name], seen),
  ]);
}

/** The names and contents of all files in a folder, none of which is replaced meanwhile. */
export async function textsInFolder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = entries.map(async (entry) =>
    entry.isFile() ? [entry.name, await readFile(join(entry.parentPath, entry.name), "utf8")] : [entry.name],
  );
  try {
    return (await Promise.all(texts)).flat();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // One has taken the place of another.
    return textsInFolder(folder);
  }
}
