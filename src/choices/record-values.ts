// The values of a record by their paths, as the editor offers them to latest value.
import { finiteOf } from "../models/measurements";
import { isServiceObject } from "../models/service-object";
import { DERIVED } from "../totals/energies";
import { shownText } from "../shown-text";
import type { ValueNow } from "./choices";

/** Far more than a record of the service has. */
const MAX_VALUES = 500;
const MAX_LEVELS = 6;
/** A name that can be part of a path. */
const NAME = /^[A-Za-z_$][\w$]{0,63}$/;
const MAX_SHOWN_LENGTH = 80;

/** Every value in the groups of the record, in the order of the record, then what is derived from it; null stays null. */
export function valuesOf(record: object): ValueNow[] {
  const derived = [...DERIVED].flatMap(([path, valueOf]) => {
    const value = valueOf({ ...record });
    return value === null ? [] : [{ path, value }];
  });
  return [...valuesIn(record, "", MAX_LEVELS).slice(0, MAX_VALUES), ...derived];
}

/** A number at a path of the record, or derived from it; null for anything else. */
export function numberAt(record: object, path: string): number | null {
  return finiteOf(valuesOf(record).find((one) => one.path === path)?.value);
}

function valuesIn(group: object, path: string, levels: number): ValueNow[] {
  return Object.entries(group).flatMap(([name, value]: [string, unknown]) => {
    if (!NAME.test(name) || Array.isArray(value)) return [];
    if (!isServiceObject(value)) return [{ path: path + name, value: shown(value) }];
    return levels > 1 ? valuesIn(value, `${path}${name}.`, levels - 1) : [];
  });
}

function shown(value: unknown): ValueNow["value"] {
  if (typeof value === "string") return shownText(value, MAX_SHOWN_LENGTH);
  return typeof value === "boolean" ? value : finiteOf(value);
}
