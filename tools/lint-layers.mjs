// Checks imports: src/ and nodes/shared/runtime/ are built in layers, and nodes do not import each other.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Layers from bottom to top. A file may import from its own entry and from lower layers, but not from other entries of its
 * layer. A path belongs to the longest entry that matches.
 */
const SRC = layers([
  ["version", "time-units", "canonical-json", "error-texts", "limits", "objects"],
  ["errors", "shown-text", "service-time"],
  ["abort", "bounded-map", "clock"],
  ["loop-turns", "site-calendar", "stored-state", "single-flight"],
  ["settings"],
  ["models"],
  ["client/connection"],
  ["client/http"],
  ["client/auth"],
  ["client"],
  ["series"],
  ["decisions", "alerts"],
  ["ledger"],
  ["reading"],
  ["totals"],
  ["choices"],
  ["messages"],
  ["polling"],
  ["history", "statistics"],
  ["diagnostics"],
  ["mqtt"],
  ["mqtt/home-assistant"],
  ["demo"],
  ["index"],
]);

const RUNTIME = layers([
  ["base"],
  ["state"],
  ["lifecycle"],
  ["service"],
  ["series"],
  ["records"],
  ["diagnostics"],
  ["admin"],
]);

function layers(table) {
  return table.flatMap((names, layer) => names.map((name) => ({ name, layer })));
}

/** Matches `import ... from`, `export ... from`, `import "..."`, `import("...")` and `require("...")`. */
const IMPORT = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*"(\.[^"]*)"/g;

function entryOf(entries, path) {
  const matches = entries.filter(({ name }) => path === name || path.startsWith(`${name}/`));
  return matches.toSorted((one, other) => other.name.length - one.name.length)[0];
}

/** Why an import within a layered folder is forbidden, or undefined. Both paths are relative to the folder. */
function upward(entries, from, to) {
  const [own, other] = [entryOf(entries, from), entryOf(entries, to)];
  if (!own) return "this file has no layer: give it one in tools/lint-layers.mjs";
  if (!other) return "the imported file has no layer: give it one in tools/lint-layers.mjs";
  return own !== other && other.layer >= own.layer ? `${own.name} is not above ${other.name}` : undefined;
}

/** Why an import is forbidden, or undefined. Both paths are relative to the project root, without `.ts`. */
function objection(from, to) {
  // The types of keys come from the English catalogues.
  if (/^nodes\/.*\/locales\/en-US\/.*\.json$/.test(to)) return undefined;
  const [fromTop, ...fromRest] = from.split("/");
  const [toTop, ...toRest] = to.split("/");
  if (fromTop === "src") {
    return toTop === "src"
      ? upward(SRC, fromRest.join("/"), toRest.join("/"))
      : `src/ does not import ${toTop}/`;
  }
  if (toTop !== "nodes") return toTop === "src" ? undefined : `nodes/ does not import ${toTop}/`;
  const runtime = "nodes/shared/runtime/";
  if (from.startsWith(runtime) && to.startsWith(runtime))
    return upward(RUNTIME, from.slice(runtime.length), to.slice(runtime.length));
  if (toRest[0] === "shared") return undefined;
  return toRest[0] === fromRest[0] ? undefined : "what nodes have in common belongs in nodes/shared/";
}

/** The forbidden imports of one file, as `path:line: reason`. `path` is relative to the project root. */
export function forbiddenImports(path, source) {
  const from = path.replace(/\.ts$/, "");
  return [...source.matchAll(IMPORT)].flatMap(({ 1: specifier, index }) => {
    const to = normalize(join(dirname(from), specifier)).replaceAll("\\", "/");
    const reason = objection(from, to);
    const line = source.slice(0, index).split("\n").length;
    return reason === undefined ? [] : [`${path}:${line}: imports ${to}, but ${reason}`];
  });
}

function sourceFiles(root, folder) {
  const names = readdirSync(join(root, folder), { recursive: true });
  return names.filter((name) => name.endsWith(".ts")).map((name) => join(folder, name).replaceAll("\\", "/"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const files = ["src", "nodes"].flatMap((folder) => sourceFiles(root, folder));
  const forbidden = files.flatMap((path) => forbiddenImports(path, readFileSync(join(root, path), "utf8")));
  for (const text of forbidden) console.error(text);
  if (forbidden.length > 0) process.exitCode = 1;
}
