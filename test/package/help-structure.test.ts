// Tests that the help of a node has the same parts in every language.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setNames } from "../support/package";
import { DIST, help, HELP_LANGUAGES, WITHOUT_HELP } from "./editor-set";

const ENGLISH = "en-US";

/** Without what is translated: the words of headings and, in the account's help, the labels of fields. */
function structure(name: string, language: string): object {
  const text = help(name, language);
  const terms = [...text.matchAll(/<dt[^>]*>(.*?)<\/dt>/gs)].map((match) => match[1] ?? "");
  return {
    headings: [...text.matchAll(/<(h\d)>/g)].map((match) => match[1]),
    terms: name === "account" ? terms.length : terms,
    ports: text.split(/<li>/).length - 1,
    paragraphs: text.split(/<p>/).length - 1,
    examples: text.split(/<pre>/).length - 1,
    links: [...text.matchAll(/<a\s+([^>]*?)\s*>/gs)].map((match) => match[1]),
  };
}

describe("the help in every language", () => {
  for (const language of HELP_LANGUAGES.filter((one) => one !== ENGLISH)) {
    for (const name of setNames) {
      it(`has the parts of the English one for ${name} in ${language}`, () => {
        assert.deepEqual(structure(name, language), structure(name, ENGLISH));
      });
    }
  }

  it("exists in every language but those listed, and in none of these", () => {
    for (const name of setNames) {
      const has = (language: string): boolean =>
        existsSync(join(DIST, name, "locales", language, `${name}.html`));
      assert.deepEqual(
        HELP_LANGUAGES.filter((language) => !has(language)),
        [],
        name,
      );
      assert.deepEqual(WITHOUT_HELP.filter(has), [], name);
    }
  });
});
