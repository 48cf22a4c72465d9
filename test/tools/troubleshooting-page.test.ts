// Tests that docs/troubleshooting.md explains every status that is red or yellow, in the words of the editor.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(__dirname, "..", "..");
const PAGE = readFileSync(join(ROOT, "docs", "troubleshooting.md"), "utf8");
const CATALOGUE = join(ROOT, "nodes", "account", "locales", "en-US", "account.json");

interface Statuses {
  [key: string]: string | Record<string, string>;
  error: Record<string, string>;
}

const { status } = JSON.parse(readFileSync(CATALOGUE, "utf8")) as { status: Statuses };
/** Green and blue ones, and texts that the log shows. */
const OTHERS = new Set([
  "reading",
  "records",
  "records_one",
  "jobs",
  "jobs_one",
  "none",
  "noUserDirectory",
  "damagedFile",
  "unknownDelivery",
  "clockAhead",
]);

/** The codes of statuses that name a cause, where they are not those of an HTTP status. */
const CODES: Record<string, string> = {
  other: "ENERGY_INTERNAL",
  unknownHost: "ENERGY_NETWORK",
  certificate: "ENERGY_NETWORK",
};

/** The longest part of a text between its placeholders. */
function wordsOf(text: string): string {
  const parts = text.split(/__\w+__/).map((part) => part.trim());
  return parts.toSorted((one, other) => other.length - one.length)[0] ?? "";
}

describe("docs/troubleshooting.md", () => {
  for (const [key, text] of Object.entries(status.error)) {
    it(`explains the error ${key}`, () => {
      const code = key.startsWith("ENERGY_") ? key : (CODES[key] ?? "ENERGY_HTTP");
      const row = PAGE.split("\n").find((line) => line.startsWith(`| ${wordsOf(text)}`));
      assert.ok(row?.includes(`\`${code}\``), text);
    });
  }

  for (const [key, text] of Object.entries(status)) {
    if (typeof text !== "string" || OTHERS.has(key)) continue;
    it(`explains the status ${key}`, () => {
      assert.ok(PAGE.includes(wordsOf(text).replace(/^.* · /, "")), text);
    });
  }
});
