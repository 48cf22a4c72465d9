// Translates keys as Node-RED does; the test helper's own RED._ only returns the key.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ERROR_TEXTS } from "../../src/error-texts";

interface Translator {
  init(options: object): void;
  exists(key: string, values: object): boolean;
  t(key: string, values: object): string;
}

const NODES = join(__dirname, "..", "..", "nodes");
const ENGLISH = "en-US";

/** The catalogues by Node-RED namespace: package and node set. */
function catalogues(language: string): Record<string, object> {
  const names = readdirSync(NODES).filter((name) => existsSync(fileOf(name, language)));
  return Object.fromEntries(
    names.map((name) => {
      const texts = JSON.parse(readFileSync(fileOf(name, language), "utf8")) as object;
      return [
        `@energy-sites/node-red/${name}`,
        // The build adds the English error texts.
        name === "account" && language === ENGLISH ? { ...texts, error: ERROR_TEXTS } : texts,
      ];
    }),
  );
}

function fileOf(name: string, language: string): string {
  return join(NODES, name, "locales", language, `${name}.json`);
}

/** Node-RED's own i18next, with the options from `@node-red/util/lib/i18n.js`. */
export function translatorOf(language: string): Translator {
  const util = createRequire(require.resolve("node-red")).resolve("@node-red/util");
  const i18next = createRequire(util)("i18next") as { createInstance(): Translator };
  const translator = i18next.createInstance();
  translator.init({
    showSupportNotice: false,
    initAsync: false,
    resources: { [language]: catalogues(language) },
    defaultNS: "runtime",
    ns: [],
    fallbackLng: language,
    lng: language,
    keySeparator: ".",
    nsSeparator: ":",
    interpolation: { unescapeSuffix: "HTML", escapeValue: false, prefix: "__", suffix: "__" },
  });
  return translator;
}

const translator = translatorOf(ENGLISH);

/** Keys that have a text. */
const known = new Set<string>();
/** The texts without a placeholder: most that a test shows. */
const fixed = new Map<string, string>();

/** Like RED._ in English, but throws if a key has no text or a placeholder has no value. */
export function translate(key: string, values: Record<string, unknown> = {}): string {
  const isFixed = Object.keys(values).length === 0;
  const before = isFixed ? fixed.get(key) : undefined;
  if (before !== undefined) return before;
  if (!known.has(key) && !translator.exists(key, values)) throw new Error(`no text for ${key}`);
  known.add(key);
  const text = translator.t(key, values);
  const [missing] = /__[a-z]\w*?__/i.exec(text) ?? [];
  if (missing !== undefined && !JSON.stringify(values).includes(missing))
    throw new Error(`no value for ${missing} of ${key}`);
  if (isFixed) fixed.set(key, text);
  return text;
}
