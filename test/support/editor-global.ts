// A stand-in for the editor's global `RED`, for editor code that is tested without a browser. Texts are the shipped ones.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./package";

export type Language = "en-US" | "de";

export interface EditorState {
  language?: Language;
  configNodes?: Partial<EditorConfigNode>[];
  subflows?: string[];
  /** What the browser has stored. */
  local?: Record<string, string>;
}

/** Replaces the global `RED`; returns a function that puts the old one back. */
export function installEditor({
  language = "en-US",
  configNodes = [],
  subflows = [],
  local = {},
}: EditorState): () => void {
  const all = configNodes as EditorConfigNode[];
  const editor = {
    nodes: {
      node: (id: string) => all.find((node) => node.id === id) ?? null,
      eachConfig: (visit: (node: EditorConfigNode) => void) => all.forEach(visit),
      subflow: (id: string) => (subflows.includes(id) ? {} : undefined),
    },
    settings: {
      getLocal: (key: string) => local[key],
      setLocal: (key: string, value: string) => void (local[key] = value),
    },
    _: (key: string, values: Record<string, string | number> = {}) => text(language, key, values),
  };
  const shared = globalThis as { RED?: unknown };
  const { RED: before } = shared;
  shared.RED = editor;
  return () => void (shared.RED = before);
}

/** A key such as `@energy-sites/node-red/account:picker.meter`. A missing text is the key, as in the editor. */
function text(language: Language, key: string, values: Record<string, string | number>): string {
  const [set = "", path = ""] = key.replace("@energy-sites/node-red/", "").split(":");
  const file = join(ROOT, "nodes", set, "locales", language, `${set}.json`);
  const found = path
    .split(".")
    .reduce<unknown>(
      (node, part) => (node as Record<string, unknown> | undefined)?.[part],
      JSON.parse(readFileSync(file, "utf8")),
    );
  return typeof found === "string"
    ? found.replaceAll(/__(\w+?)__/g, (_mark, name: string) => String(values[name]))
    : key;
}
