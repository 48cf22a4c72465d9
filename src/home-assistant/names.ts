// The names of the entities in Home Assistant, which never translates names from MQTT: in the language chosen in the node.
import type { Language } from "../mqtt/publication";
import { ENGLISH, type Names } from "./names/english";
import { FRENCH } from "./names/french";
import { GERMAN } from "./names/german";
import { JAPANESE } from "./names/japanese";
import { SIMPLIFIED_CHINESE } from "./names/simplified-chinese";
import { SPANISH } from "./names/spanish";

export type { NameKey } from "./names/english";

export const NAMES: Readonly<Record<Language, Names>> = {
  en: ENGLISH,
  de: GERMAN,
  fr: FRENCH,
  es: SPANISH,
  ja: JAPANESE,
  "zh-CN": SIMPLIFIED_CHINESE,
};
