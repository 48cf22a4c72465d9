// The measurements of a record by the names that people use for them, and what is now in the newest record.
import type { ValueNow } from "../../src/choices/choices";
import { UNITS } from "../../src/models/measurements";
import { sharedText } from "../shared/editor/texts";
import { type Choice, isMatch, shownValue } from "../shared/editor/pickers/choice-labels";

/** "Battery charge (%)"; undefined for a path that this version does not know. */
export function measurementName(path: string): string | undefined {
  const unit = UNITS.get(path);
  return unit && `${sharedText(`picker.value.${path}`)} (${unit})`;
}

/** The known measurements and whatever else the newest record holds, as far as they match. Without a record, the names alone. */
export function valueChoices(typed: string, values: readonly ValueNow[]): Choice[] {
  const now = new Map(values.map(({ path, value }) => [path, value]));
  const paths = new Set([...UNITS.keys(), ...now.keys()]);
  return [...paths]
    .filter((path) => isMatch(typed, [path, ...wordsOf(path)]))
    .map((path) => {
      const name = measurementName(path);
      return {
        value: path,
        text: name ?? path,
        now: shownValue(now.get(path)),
        ...(name ? { detail: path } : {}),
      };
    });
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
