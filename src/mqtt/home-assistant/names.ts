// The names of the entities in Home Assistant, which never translates names from MQTT: in the language chosen in the node.
import type { Language } from "../publications";
import german from "./names/de.json";
import english from "./names/en.json";
import spanish from "./names/es.json";
import french from "./names/fr.json";
import japanese from "./names/ja.json";
import chinese from "./names/zh-CN.json";

export type NameKey = keyof typeof english;

/** By entity key, which all languages share. */
export const NAMES: Readonly<Record<Language, Readonly<Record<NameKey, string>>>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  ja: japanese,
  "zh-CN": chinese,
};
