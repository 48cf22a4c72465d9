// Tests for the typography of the translations: spaces, quotation marks, punctuation and words as each language writes them.
import assert from "node:assert/strict";
import { setNames } from "../support/package";
import { catalogue, help } from "./editor-set";

/** What is not translated: placeholders, markup, addresses, times, paths of messages, JSON. */
const CODE =
  /__\w+?__|<span class='energy-example'>.*?<\/span>|<[^>]*>|https?:\/\/\S*|\d{4}-\d\d-\d\d[\w:]*|\d*:\d\d|\{.*\}|"[\d-]+"/g;

/** By language: what must not occur, and an example of it. */
const FAULTS: Record<string, [fault: RegExp, example: string][]> = {
  de: [
    [/"|“\w|\w„/, '"Demo"'],
    [/\s[;:?!]/, "ID :"],
    // One word for one thing: "aktuell".
    [/frisch/, "frisch"],
  ],
  fr: [
    // A space that could break the line, or none.
    [/ [;:?!»]|« /, "ID :"],
    [/[^\u00A0][;:?!»]|«[^\u00A0]/, "ID:"],
    [/'|"/, "l'ID"],
    [/oeu/, "noeud"],
    [/\bids\b/, "les ids"],
    [/périmé/, "périmé"],
  ],
  es: [
    [/^[^¿]*\?|^[^¡]*!/, "Listo?"],
    [/"|“/, '"Demo"'],
    [/\s[;:?!]/, "ID :"],
    [/\bids\b/, "los ids"],
    [/periodo/i, "periodo"],
    [/\bpetici/, "petición"],
  ],
  ja: [
    [/[,;!?]|[:.](?=$|\s|[\u3040-\u9FFF])/, "値:"],
    [/[()]/, "(404)"],
    [/[\u3040-\u9FFF。、）] [\w\u3040-\u9FFF]|\w [\u3040-\u9FFF]/, "ID を"],
    [/"|“/, '"デモ"'],
  ],
  "zh-CN": [
    [/[,;!]|[:.](?=$|\s|[\u4E00-\u9FFF])/, "值:"],
    [/[()]/, "(404)"],
    [/[\u4E00-\u9FFF][A-Za-z\d]|[A-Za-z\d][\u4E00-\u9FFF]/, "按ID"],
    [/[。，；：）（“”、] | [。，；：）（“”、]/, "ID ："],
    [/"|「/, '"演示"'],
  ],
};

/** Those that stand for words of the same language are left out. */
const withoutCode = (text: string): string =>
  text.replaceAll(/^__text__|__kind__/g, "").replaceAll(CODE, "X");

/** Names the character ? itself; or has words to search for, with a space after each. */
const NOT_PROSE = /^error\.baseUrlQuery$|^picker\.(words|groupWords)\.|^palette\.words\./;

const textsOf = (language: string): [key: string, text: string][] =>
  setNames.flatMap((name) => [...catalogue(name, language)]).filter(([key]) => !NOT_PROSE.test(key));

/** What the help says, without examples and names of properties. */
const proseOf = (language: string): [name: string, text: string][] =>
  setNames.flatMap((name) =>
    help(name, language)
      .replaceAll(/<(pre|dt)\b.*?<\/\1>/gs, "")
      .replaceAll(/<code\b.*?<\/code\s*>/gs, "X")
      .split(/<\/?(?:p|dd|li|dl|ol|ul)\b[^>]*>/)
      .map((text): [string, string] => [
        name,
        text
          .replaceAll(/<[^>]*>/g, "")
          .replaceAll(/\n */g, " ")
          .trim(),
      ]),
  );

for (const [language, faults] of Object.entries(FAULTS)) {
  describe(`typography in ${language}`, () => {
    for (const [fault, example] of faults) {
      it(`never writes ${example}`, () => {
        assert.match(example, fault);
        const texts = [...textsOf(language), ...proseOf(language)];
        const faulty = texts.filter(([, text]) => fault.test(withoutCode(text)));
        assert.deepEqual(faulty.map(String), []);
      });
    }

    it("ends no label with a full stop", () => {
      const ended = textsOf(language).filter(
        ([key, text]) => /^(label|unit|output|section)\./.test(key) && /[.。]$/.test(text),
      );
      assert.deepEqual(ended.map(String), []);
    });
  });
}

describe("typography of the hints", () => {
  for (const language of ["en-US", ...Object.keys(FAULTS)])
    it(`keeps a value and = on one line in ${language}`, () => {
      const breaking = textsOf(language).filter(
        ([key, text]) => key.startsWith("hint.") && /(?<!X) = (?!X)/.test(withoutCode(text)),
      );
      assert.deepEqual(breaking.map(String), []);
    });
});
