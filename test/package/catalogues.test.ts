// Tests for the translations: every text exists in every language, with its placeholders, and none is left in English.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setNames } from "../support/package";
import { SAME_EVERYWHERE, SAME_IN } from "./catalogue-words";
import { catalogue, DIST, LANGUAGES } from "./editor-set";

const ENGLISH = "en-US";
const TRANSLATIONS = LANGUAGES.filter((language) => language !== ENGLISH);

/** In texts of errors, hints and fields. */
const QUOTED = /[„«「“]([^”“»」_]+)[“»」”]/g;

const marks = (text: string): string[] => [...new Set(text.match(/__\w+?__/g))].toSorted();
/** What is left to translate of a text: its words, without placeholders, markup, and code to type. */
const words = (text: string): string =>
  text
    .replaceAll(/<span class='energy-example'>.*?<\/span>|<[^>]*>|__\w+?__/g, "")
    .replaceAll(/https?:\/\/\S*|\bmsg\.[\w.]+/g, "");

/** i18next looks for these forms of a text, by the same rules; the form without suffix stands for all others. */
const hasSingular = (language: string): boolean =>
  new Intl.PluralRules(language).resolvedOptions().pluralCategories.includes("one");

function isAllowed(language: string, name: string, key: string, text: string): boolean {
  // Nodes have the same name in every language, as core nodes do; the account is a config node.
  const isNodeName = key === "label.palette" && name !== "account";
  return isNodeName || [...SAME_EVERYWHERE, ...(SAME_IN[language] ?? [])].includes(text);
}

type Entry = [name: string, key: string, text: string, english: string];

function all(language: string): Entry[] {
  return setNames.flatMap((name) => {
    const english = catalogue(name, ENGLISH);
    return [...catalogue(name, language)].map(([key, text]): Entry => [
      name,
      key,
      text,
      english.get(key) ?? "",
    ]);
  });
}

const shown = ([name, key, text]: Entry): string => `${name}:${key} ${text}`;

describe("the catalogues", () => {
  it("exist for every node in these languages", () => {
    for (const name of setNames) {
      assert.deepEqual(readdirSync(join(DIST, name, "locales")).toSorted(), LANGUAGES.toSorted(), name);
      for (const language of LANGUAGES)
        assert.ok(existsSync(join(DIST, name, "locales", language, `${name}.json`)), `${language} ${name}`);
    }
  });

  for (const language of TRANSLATIONS) {
    describe(`in ${language}`, () => {
      for (const name of setNames) {
        it(`have the keys of ${name} in the same order, and a singular only if the language has one`, () => {
          const expected = [...catalogue(name, ENGLISH).keys()];
          const own = hasSingular(language) ? expected : expected.filter((key) => !key.endsWith("_one"));
          assert.deepEqual([...catalogue(name, language).keys()], own);
        });
      }

      it("have a text for every key, with the placeholders of the English one", () => {
        for (const [name, key, text, english] of all(language)) {
          assert.equal(text, text.trim(), `${name}:${key}`);
          assert.notEqual(text, "", `${name}:${key}`);
          // A singular may show the number.
          const own = marks(text).filter((mark) => !key.endsWith("_one") || mark !== "__count__");
          assert.deepEqual(own, marks(english), `${name}:${key}`);
        }
      });

      it("show the number in a singular that is for more numbers than 1", () => {
        if (new Intl.PluralRules(language).select(0) !== "one") return;
        const fixed = all(language).filter(
          ([, key, text]) => key.endsWith("_one") && !text.includes("__count__"),
        );
        assert.deepEqual(fixed.map(shown), []);
      });

      it("leave no text in English, but words that are the same", () => {
        const left = all(language).filter(
          ([name, key, text, english]) =>
            text === english && /\p{L}/u.test(words(text)) && !isAllowed(language, name, key, text),
        );
        assert.deepEqual(left.map(shown), []);
      });

      it("contain no English words", () => {
        const left = all(language).filter(([, , text]) =>
          /\b(the|of|is|are|and|this|with|which|must|cannot|check|choose|enter)\b/i.test(words(text)),
        );
        assert.deepEqual(left.map(shown), []);
      });

      it("name fields and options as the dialogs do", () => {
        const names = all(language).flatMap(([, key, text]) => (/^(label|option)\./.test(key) ? [text] : []));
        const unknown = all(language).filter(([, , text]) =>
          [...text.matchAll(QUOTED)]
            .flatMap((match) => (match[1] ?? "").trim().split(/ ?[:：] ?/))
            .some((quoted) => !names.some((name) => name.startsWith(quoted))),
        );
        assert.deepEqual(unknown.map(shown), []);
      });

      it("name the buttons of the editor as Node-RED does, in the first steps", () => {
        const { resolve } = createRequire(require.resolve("node-red"));
        const folder = join(dirname(resolve("@node-red/editor-client/package.json")), "locales");
        const path = join(folder, language === "es" ? "es-ES" : language, "editor.json");
        const editor = JSON.parse(readFileSync(path, "utf8")) as {
          common: { label: { done: string } };
          deploy: { deploy: string };
        };
        const texts = catalogue("account", language);
        assert.ok(texts.get("tour.step2")?.includes(editor.common.label.done));
        // The start of a verb, whatever its form.
        assert.ok(texts.get("tour.step3")?.startsWith(editor.deploy.deploy.slice(0, 4)));
      });

      it("need every exception", () => {
        const texts = all(language).map(([, , text]) => text);
        assert.deepEqual(
          (SAME_IN[language] ?? []).filter((text) => !texts.includes(text)),
          [],
        );
      });
    });
  }
});
