// Tests that exactly the settings hidden in a dialog are ignored by the table of settings.
import assert from "node:assert/strict";
import type { Settings } from "../../src/settings/table";
import { SETTINGS } from "../support/settings";
import { loadSet } from "./editor-set";

type Conditions = Record<string, string[]>;

const TAG = /<(\/?)(div|input|select)\b([^>]*)>/g;

/** The conditions of each field's rows, such as `service=live`. */
function conditionsInForm(form: string): Conditions {
  const rows: string[][] = [];
  const found: Conditions = {};
  for (const [, end = "", tag = "", attributes = ""] of form.matchAll(TAG)) {
    const [, condition] = /data-show-when="([^"]+)"/.exec(attributes) ?? [];
    const [, field] = /\bid="node-(?:config-)?input-(\w+)"/.exec(attributes) ?? [];
    if (tag === "div" && end) rows.pop();
    else if (tag === "div") rows.push(condition === undefined ? [] : [condition]);
    else if (field !== undefined) found[field] = rows.flat().toSorted();
  }
  return found;
}

function conditionsInTable(settings: Settings): Conditions {
  const written = (sign: string, values: object = {}): string[] =>
    Object.entries(values).map(([key, value]) => `${key}${sign}${String(value)}`);
  return Object.fromEntries(
    Object.entries(settings).map(([key, { when, unless }]) => [
      key,
      [...written("=", when), ...written("!=", unless)].toSorted(),
    ]),
  );
}

describe("hidden settings", () => {
  for (const [name, settings] of Object.entries<Settings>(SETTINGS)) {
    it(`are the same in form and table of ${name}`, () => {
      const inForm = conditionsInForm(loadSet(name).form);
      const inTable = conditionsInTable(settings);
      // Check boxes represent an array of names.
      delete inTable["severities"];
      assert.deepEqual(inForm, inTable);
    });
  }
});
