// The values of a record by the names that people use for them: on the canvas, and in the list with what each is now.
import type { ValueNow } from "../../../../src/choices/choices";
import { UNITS } from "../../../../src/models/measurements";
import { shownText } from "../../../../src/shown-text";
import { sharedText } from "../texts";
import { isMatch, shownValue } from "./choices";
import type { Choice } from "./combobox";
import type { ValuePicker } from "./pickers";

/** Characters of the name of a field that this version does not know. */
const LONGEST = 24;
/** Languages that begin every noun with a capital letter. */
const CAPITAL_NOUNS = ["de"];
/** What the sign of a value means, as in "Battery power, + = discharging". */
const SIGN = /\s*[,，、]\s*[+＋].*$/u;

export const valuePicker: ValuePicker = {
  choices: valueChoices,
  /** The value's name, or that the newest record has no such value. */
  async line(path, values) {
    const name = measurementName(path);
    if (path === "" || name) return name ?? "";
    const known = await values();
    return known && known.length > 0 && !isInRecord(path, known) ? sharedText("picker.unknownValue") : "";
  },
};

/** "Battery charge (%)"; undefined for a path that this version does not know. */
export function measurementName(path: string): string | undefined {
  const unit = UNITS.get(path);
  return unit && `${sharedText(`picker.value.${path}`)} (${unit})`;
}

/**
 * The known measurements and whatever else the newest record holds, as far as they match; nothing of the inverter if the system
 * does not measure it. Without a record, the names alone.
 */
export function valueChoices(typed: string, values: readonly ValueNow[]): Choice[] {
  const now = new Map(values.map(({ path, value }) => [path, value]));
  const paths = [...new Set([...UNITS.keys(), ...now.keys()])];
  const isInverterMeasured =
    values.length === 0 || values.some(({ path, value }) => isOfInverter(path) && value !== null);
  return paths
    .filter((path) => isInverterMeasured || !isOfInverter(path))
    .filter((path) => isMatch(typed, [path, ...wordsOf(path)]))
    .map((path) => {
      const name = measurementName(path);
      const choice = { value: path, text: name ?? path, now: shownValue(now.get(path)) };
      return name ? { ...choice, detail: path } : choice;
    });
}

function isOfInverter(path: string): boolean {
  return path === "inverter" || path.startsWith("inverter.");
}

/** The name of a known measurement and further words by which people look for it. */
function wordsOf(path: string): string[] {
  if (!UNITS.has(path)) return [];
  const [group = "", field = ""] = path.split(".");
  // Words such as "feed-in" are about the grid, not about the inverter that has fields of the same name.
  const fieldWords = group === "inverter" ? [] : [`words.${field}`];
  return [`value.${path}`, `groupWords.${group}`, ...fieldWords].map((key) => sharedText(`picker.${key}`));
}

/** Whether the newest record has something at the path: a value, or a group of values. */
export function isInRecord(path: string, values: readonly ValueNow[]): boolean {
  return values.some(
    (value) =>
      value.path === path || (/^[.[]/.test(value.path.slice(path.length)) && value.path.startsWith(path)),
  );
}

/** "battery charge": the name of a known measurement, or else the last part of the path. Empty for the whole record. */
export function valueTitle(path: unknown): string {
  if (typeof path !== "string" || path === "") return "";
  if (!UNITS.has(path)) return shownText(path.split(".").at(-1) ?? path, LONGEST);
  const name = sharedText(`picker.value.${path}`).replace(SIGN, "");
  const [language = ""] = RED.i18n.lang().split("-");
  // Not for abbreviations such as RGM.
  const keepsCapital = CAPITAL_NOUNS.includes(language) || /^\p{Lu}\p{Lu}/u.test(name);
  return keepsCapital ? name : name.slice(0, 1).toLowerCase() + name.slice(1);
}
