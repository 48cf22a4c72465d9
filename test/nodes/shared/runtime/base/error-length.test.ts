// The debug sidebar shows 80 characters of a text until it is opened: what happened and what to do must be in them.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ERROR_TEXTS } from "../../../../../src/error-texts";

const SHOWN = 80;
const LOCALES = join(__dirname, "../../../../../nodes/account/locales");

/** By mark; the length of any other is that of a short word. */
const SAMPLES: Record<string, string> = {
  label: "Discovery prefix",
  min: "0",
  max: "10080",
  what: "Site list",
  name: "ENERGY_HOST",
  path: "storage.solar",
  status: "503",
  day: "2026-02-30",
  zone: "Europe/Berlin",
  kind: "a number",
  seconds: "60",
  reason: "",
  levels: "64",
  requests: "400",
};

/** Those whose advice follows from long values, comes before their end, or that are a part of another text. */
const LONGER = new Set([
  "credentialsOrigin",
  "credentialsRejected",
  "notFoundPc1",
  "timedOut",
  "internal",
  "storeRead",
  "storeWritten",
  "storeSetAside",
]);

function filled(text: string): string {
  return text.replaceAll(/__(\w+?)__/g, (_mark, name: string) => SAMPLES[name] ?? "value").trim();
}

/** The English ones are in the code, those of any other language in the account's catalogue. */
function errorTexts(language: string): Record<string, string> {
  if (language === "en-US") return ERROR_TEXTS;
  const { error } = JSON.parse(readFileSync(join(LOCALES, language, "account.json"), "utf8")) as {
    error: Record<string, string>;
  };
  return error;
}

describe("the texts of errors", () => {
  for (const language of readdirSync(LOCALES)) {
    it(`fit into the debug sidebar in ${language}`, () => {
      const cut = Object.entries(errorTexts(language))
        .filter(([key]) => !LONGER.has(key))
        .map(([key, text]) => [key, filled(text), filled(text).length] as const)
        .filter(([, , length]) => length > SHOWN);
      assert.deepEqual(cut, []);
    });
  }
});
