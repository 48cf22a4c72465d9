// The English texts as Node-RED would give them: the test helper's own RED._ only gives the key back.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ERROR_TEXTS } from "../../src/error-texts";

const KEY = /^@energy-sites\/node-red\/([\w-]+):(.+)$/;

export function translate(key: string, values: Record<string, unknown> = {}): string {
  const [, set = "", path = ""] = KEY.exec(key) ?? [];
  const file = join(__dirname, "..", "..", "nodes", set, "locales", "en-US", `${set}.json`);
  let text: unknown = { error: ERROR_TEXTS, ...(JSON.parse(readFileSync(file, "utf8")) as object) };
  for (const part of path.split(".")) text = (text as Record<string, unknown> | undefined)?.[part];
  if (typeof text !== "string") throw new Error(`no text for ${key}`);
  return text.replace(/__(\w+?)__/g, (_mark, name: string) => String(values[name]));
}
