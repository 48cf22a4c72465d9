// The values of a record by their paths, as the editor offers them to latest value.
import { MAX_NAME_LENGTH } from "../limits";
import { DERIVED_PATHS, derivedValue } from "../totals/derived";
import { shownText } from "../shown-text";
import type { ValueNow } from "./choices";

/** Far more than a record of the service has. */
const MAX_VALUES = 500;
const MAX_LEVELS = 6;
const MAX_SHOWN_LENGTH = 80;

/** Every value that is not an object or array, in the order of the record, then what is derived from it; null stays null. */
export function valuesOf(record: object): ValueNow[] {
  const derived = DERIVED_PATHS.flatMap((path) => {
    const value = derivedValue({ ...record }, path) ?? null;
    return value === null ? [] : [{ path, value }];
  });
  return [...valuesIn(record, "", MAX_LEVELS).slice(0, MAX_VALUES), ...derived];
}

/** A number at a path of the record, or derived from it; null for anything else. */
export function numberAt(record: object, path: string): number | null {
  const value = valuesOf(record).find((one) => one.path === path)?.value;
  return typeof value === "number" ? value : null;
}

function valuesIn(value: unknown, path: string, levels: number): ValueNow[] {
  if (value === undefined || path.length > MAX_NAME_LENGTH) return [];
  if (typeof value !== "object" || value === null) return [{ path, value: shown(value) }];
  if (levels === 0) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const step = Array.isArray(value) ? `[${name}]` : stepOf(name, path === "");
    return step === undefined ? [] : valuesIn(inner, path + step, levels - 1);
  });
}

/** `.name` or `["any name"]`; undefined for a name that latest value cannot read. */
function stepOf(name: string, isFirst: boolean): string | undefined {
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return isFirst ? name : `.${name}`;
  if (isFirst || /["\\\p{C}]/u.test(name)) return undefined;
  return `["${name}"]`;
}

function shown(value: unknown): ValueNow["value"] {
  if (typeof value === "string") return shownText(value, MAX_SHOWN_LENGTH);
  if (typeof value === "boolean") return value;
  // JSON has numbers that are too large, such as 1e999.
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
