// Tests that the help of a node has the same parts in every language.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setNames } from "../support/package";
import { DIST, help, LANGUAGES } from "./editor-set";

const ENGLISH = "en-US";

/** The types of a property, which Node-RED translates into Japanese and Chinese, too. */
const TYPES = /(?<=<span class="property-type">)[^<]*(?=<\/span>)/;

/** Without what is translated: the words of headings, the types, and, in the account's help, the labels of fields. */
function structure(name: string, language: string): object {
  const text = help(name, language);
  const terms = [...text.matchAll(/<dt[^>]*>(.*?)<\/dt>/gs)].map((match) =>
    (match[1] ?? "").replace(TYPES, (types) => String(types.split(/[|,、]/).length)),
  );
  return {
    headings: [...text.matchAll(/<(h\d)>/g)].map((match) => match[1]),
    terms: name === "account" ? terms.length : terms,
    ports: text.split(/<li>/).length - 1,
    paragraphs: text.split(/<p>/).length - 1,
    examples: text.split(/<pre>/).length - 1,
    links: [...text.matchAll(/<a\s+([^>]*?)\s*>/gs)].map((match) => match[1]?.replaceAll(/\s+/g, " ")),
  };
}

describe("the help in every language", () => {
  for (const language of LANGUAGES.filter((one) => one !== ENGLISH)) {
    for (const name of setNames) {
      it(`has the parts of the English one for ${name} in ${language}`, () => {
        assert.deepEqual(structure(name, language), structure(name, ENGLISH));
      });
    }
  }

  it("exists", () => {
    for (const name of setNames) {
      for (const language of LANGUAGES)
        assert.ok(existsSync(join(DIST, name, "locales", language, `${name}.html`)), `${name} ${language}`);
    }
  });
});
