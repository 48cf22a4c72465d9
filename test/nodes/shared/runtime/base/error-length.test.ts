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

/** What was requested from where comes last, because ids and hosts are long. */
const PLACE = /\s?[(（](?:__what__|__route__|__code__(?:, |、|，)__route__)[)）]$/;

/** Those whose advice follows from long values, or comes before their end. */
const LONGER = new Set([
  "credentialsOrigin",
  "credentialsRejected",
  "notFoundPc1",
  "internal",
  "pricesUnreadable",
  "recordsLate",
  "storeRead",
  "storeWritten",
]);

function filled(text: string): string {
  const advice = text.replace(PLACE, "");
  return advice.replaceAll(/__(\w+?)__/g, (_mark, name: string) => SAMPLES[name] ?? "value").trim();
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

    it(`say what to do before what was requested in ${language}`, () => {
      const isLate = (text: string): boolean => /__(what|route)__/.test(text.replace(PLACE, ""));
      const late = Object.entries(errorTexts(language)).filter(([, text]) => isLate(text));
      assert.deepEqual(late, []);
    });
  }
});
