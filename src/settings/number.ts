// Rules for numbers, which the flow file may hold as text.
import type { TextValue } from "../errors";
import type { Fault, NumberSetting } from "./setting";

/** The number that a stored value represents, if any. */
export function numberOf(stored: unknown): number | undefined {
  const isNumber = typeof stored === "number" || (typeof stored === "string" && stored.trim() !== "");
  return isNumber && Number.isFinite(Number(stored)) ? Number(stored) : undefined;
}

/** Checks a number against the range of its setting; without a range, only that it is a number. */
export function numberFault(setting: NumberSetting, stored: unknown): Fault | undefined {
  const { min, max, whole } = setting;
  const value = numberOf(stored);
  const label = numberLabel(setting);
  if (min === undefined || max === undefined)
    return value === undefined ? ["settingNumber", { label }] : undefined;
  const isInRange = value !== undefined && value >= min && value <= max;
  if (isInRange && (!whole || Number.isInteger(value))) return undefined;
  return [whole ? "settingWhole" : "settingRange", { label, min, max }];
}

/** The label with its unit, such as `Timeout (s)`. */
function numberLabel({ label, unit }: NumberSetting): TextValue {
  if (unit === undefined) return { label };
  return {
    key: "settingLabelUnit",
    values: { label: { label }, unit: { label: `account:unit.${unit}` } },
  };
}
