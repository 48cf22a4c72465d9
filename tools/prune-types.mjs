// Removes type declarations that cannot be imported: package.json exports one file, which refers to only some others.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** Matches `from "./x"`, `import "./x"` and `import("./x")`. */
const RELATIVE = /(?:\bfrom|\bimport|\bimport\()\s*"(\.[^"]*)"/g;

function declarationOf(path) {
  return [`${path}.d.ts`, join(path, "index.d.ts")].find((file) => existsSync(file));
}

function reachableFrom(entry) {
  const found = new Set([entry]);
  // Iterating over a set includes entries added during the iteration.
  for (const file of found) {
    for (const [, specifier] of readFileSync(file, "utf8").matchAll(RELATIVE)) {
      const declaration = declarationOf(join(dirname(file), specifier));
      if (!declaration) throw new Error(`${file} imports ${specifier}, which has no declaration`);
      found.add(declaration);
    }
  }
  return found;
}

/** Deletes all declarations in `folder` that `entry` does not need. */
export function pruneTypes(folder, entry) {
  const reachable = reachableFrom(entry);
  for (const name of readdirSync(folder, { recursive: true })) {
    const file = join(folder, name);
    if (name.endsWith(".d.ts") && !reachable.has(file)) rmSync(file);
  }
}
