// Tests for the shipped editor texts: every key has a text, every text is used, every node has help.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { correctionText } from "../../src/time-units";
import { ERROR_TEXTS } from "../../src/error-texts";
import {
  catalogue,
  definitionOf,
  DIST,
  type EditorSet,
  help,
  LANGUAGES,
  loadSet,
  nodeOf,
} from "./editor-set";
import { setNames } from "../support/package";

const NAMESPACE = "@energy-sites/node-red/";
const SECTIONS: Record<string, string[]> = {
  "en-US": ["Inputs", "Outputs", "Details", "References"],
  de: ["Eingänge", "Ausgänge", "Details", "Verweise"],
  fr: ["Entrées", "Sorties", "Détails", "Références"],
  es: ["Entradas", "Salidas", "Detalles", "Referencias"],
  ja: ["入力", "出力", "詳細", "参考"],
  "zh-CN": ["输入", "输出", "详细", "参考"],
};
/** Texts used by the runtime: statuses and errors. */
const RUNTIME = /^((status|error)\.|locale$)/;

/** Keys as `set:key`: those in the form, and those that the script requests when it runs and validates. */
function exactKeys(set: EditorSet): Set<string> {
  const definition = definitionOf(set);
  const keys = new Set<string>();
  for (const [, attribute = ""] of set.form.matchAll(/data-i18n="([^"]+)"/g)) {
    const key = attribute.replace(/^\[[\w-]+\]/, "");
    keys.add(key.includes(":") ? key.replace(NAMESPACE, "") : `${set.name}:${key}`);
  }
  const node = nodeOf(set, {});
  const own = [
    definition.label.call(node),
    definition.paletteLabel?.call(node),
    ...Array.from({ length: definition.outputs ?? 0 }, (_none, index) =>
      definition.outputLabels?.call(node, index),
    ),
  ];
  for (const key of own) if (key) keys.add(`${set.name}:${key}`);
  for (const key of set.requestedKeys) keys.add(key.replace(NAMESPACE, ""));
  return keys;
}

/** The sections of a set's own catalogue and of the account's, without those of the runtime. */
function sectionsOf({ name }: EditorSet): string[] {
  const keys = [...catalogue("account", "en-US").keys(), ...catalogue(name, "en-US").keys()];
  return [...new Set(keys.map((key) => key.split(".")[0] ?? ""))].filter((one) => !RUNTIME.test(`${one}.`));
}

/** String literals in the script that look like keys; they belong to the set's own catalogue or to the account's. */
function writtenKeys(set: EditorSet): string[] {
  const literal = new RegExp(`["\`:]((?:${sectionsOf(set).join("|")})\\.[\\w.]*\\w)["\`]`, "g");
  return [...set.script.matchAll(literal)].map((match) => String(match[1]));
}

/** The beginnings of keys that the script completes with the name of an option, a field or a value. */
function writtenPrefixes(set: EditorSet): string[] {
  const start = new RegExp(
    `["\`:]((?:${sectionsOf(set).join("|")})\\.(?:[\\w.]+\\.)?)(?:\\$\\{|["\`]\\+)`,
    "g",
  );
  return [...set.script.matchAll(start)].map((match) => String(match[1]));
}

function runtimeSources(folder: string): string[] {
  const files = readdirSync(join(DIST, folder), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".js"),
  );
  return files.map((file) => readFileSync(join(DIST, folder, file), "utf8"));
}

describe("texts of the editor", () => {
  const sets = setNames.map((name) => loadSet(name));
  const texts = (name: string, language = "en-US"): Map<string, string> => catalogue(name, language);

  for (const set of sets) {
    it(`has a text for every key of ${set.name}`, () => {
      for (const key of exactKeys(set)) {
        const [name = "", path = ""] = key.split(":");
        assert.ok(texts(name).has(path), key);
      }
      for (const key of writtenKeys(set))
        assert.ok(texts(set.name).has(key) || texts("account").has(key), key);
    });
  }

  it("has no unused texts", () => {
    const used = new Set(sets.flatMap((set) => [...exactKeys(set)]));
    for (const set of sets) {
      for (const key of writtenKeys(set))
        used.add(texts(set.name).has(key) ? `${set.name}:${key}` : `account:${key}`);
      for (const prefix of writtenPrefixes(set))
        for (const name of [set.name, "account"])
          for (const key of texts(name).keys()) if (key.startsWith(prefix)) used.add(`${name}:${key}`);
    }
    const all = setNames.flatMap((name) =>
      [...texts(name).keys()].filter((key) => !RUNTIME.test(key)).map((key) => `${name}:${key}`),
    );
    // The compiler checks the keys of errors.
    for (const key of Object.keys(ERROR_TEXTS)) used.add(`account:error.${key}`);
    assert.deepEqual(
      // A key may have one text for each plural form.
      all.filter((key) => !used.has(key.replace(/_one$/, ""))),
      [],
    );
  });

  /** Without the forms for plurals. The compiler checks that each status that the runtime uses is among them. */
  const statusKeys = (name: string): string[] =>
    [...texts(name).keys()].flatMap((key) => (/^status\..*(?<!_one)$/.test(key) ? [key.slice(7)] : []));

  it("uses every status text, those of a node only in that node", () => {
    for (const name of setNames) {
      const folders = name === "account" ? [...setNames, "shared/runtime"] : [name];
      // The status of a wrong clock is in the words of the error.
      const source = [...folders.flatMap(runtimeSources), correctionText.toString()].join("\n");
      for (const key of statusKeys(name).filter((one) => !one.startsWith("error.ENERGY_"))) {
        const literal = name === "account" ? key : `${name}:${key}`;
        // A threshold has one for each side.
        const ofSide = literal.replace(/:(high|low|between)\./, ":${side}.");
        const isUsed = [`"${literal}"`, `:status.${literal}"`, `\`${ofSide}\``].some((one) =>
          source.includes(one),
        );
        assert.ok(isUsed, literal);
      }
    }
  });

  it("describes every error in the status in a few words", () => {
    for (const language of LANGUAGES) {
      for (const key of statusKeys("account").filter((one) => one.startsWith("error."))) {
        const text = texts("account", language).get(`status.${key}`);
        assert.ok(text && text.replace("__statusCode__", "500").length <= 24, `${language} ${key}: ${text}`);
      }
    }
  });
});

describe("help of the nodes", () => {
  for (const name of setNames) {
    for (const language of LANGUAGES) {
      const text = help(name, language);
      const isConfig = name === "account";

      it(`introduces ${name} and has its sections in order (${language})`, () => {
        assert.match(text, new RegExp(`^<script type="text/html" data-help-name="energy-${name}">\\s*<p>`));
        const sections = [...text.matchAll(/<h3>(.*?)<\/h3>/g)].map((match) => match[1]);
        assert.deepEqual(sections, isConfig ? SECTIONS[language]?.slice(2) : SECTIONS[language]);
        assert.doesNotMatch(text, /<!--/);
      });

      it(`formats null as code in ${name} (${language})`, () => {
        const words = text.replaceAll(/<(code|span|pre)[^>]*>.*?<\/\1>/gs, "");
        assert.doesNotMatch(words, /\bnull\b/i);
      });

      if (!isConfig) {
        it(`documents the type of every message property of ${name} (${language})`, () => {
          const [messages = ""] = text.split(`<h3>${SECTIONS[language]?.[2]}</h3>`);
          const untyped = [...messages.matchAll(/<dt[^>]*>((?:(?!<\/dt>).)*)<\/dt>/gs)].filter(
            (match) => !match[1]?.includes('class="property-type"'),
          );
          assert.deepEqual(untyped, []);
          assert.ok(messages.includes(`<code>${kindOf(name)}</code>`));
        });
      }
    }
  }
});

/** The `msg.energy.kind` of the node's messages; points leaves it unchanged. */
function kindOf(name: string): string {
  return { "telemetry-poll": "telemetry", "rgm-read": "rgm", points: "telemetry" }[name] ?? name;
}
