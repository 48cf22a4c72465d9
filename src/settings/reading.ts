// Checks and reads stored settings by their table: the dialogs check them, the runtime checks and reads them.
import { type ErrorText, errorText, type TextValue } from "../errors";
import type {
  ChoiceSetting,
  NumberSetting,
  Properties,
  Setting,
  Settings,
  SettingValue,
  TextSetting,
} from "./kinds";

/** Whether a setting is in use, which may depend on the values of others. */
export function isInUse(
  settings: Settings,
  { when = {}, unless = {} }: Setting,
  others: Properties,
): boolean {
  const has = ([key, value]: [string, unknown]): boolean => {
    const other = settings[key];
    return other !== undefined && [value].flat().includes(settingValue(other, others(key)));
  };
  return Object.entries(when).every(has) && !Object.entries(unless).some(has);
}

/** Why a stored value is not valid; undefined if it is. */
export function settingFault(setting: Setting, stored: unknown, others: Properties): ErrorText | undefined {
  switch (setting.kind) {
    case "number":
      return numberFault(setting, stored, others);
    case "choice":
      return choiceFault(setting, stored);
    case "text":
      return textFault(setting, stored, others);
    default:
      return undefined;
  }
}

function numberFault(setting: NumberSetting, stored: unknown, others: Properties): ErrorText | undefined {
  const { min = -Infinity, max = Infinity, whole } = setting;
  if (isAbsent(setting, stored) && (setting.mayBeEmpty || setting.default !== "")) return undefined;
  const value = numberOf(stored);
  const isInRange = value !== undefined && value >= min && value <= max;
  if (isInRange && (!whole || Number.isInteger(value))) return setting.check?.(value, others);
  const label = numberLabel(setting);
  if (!Number.isFinite(max - min)) return errorText("settingNumber", { label });
  const { factor = 1 } = setting;
  return errorText(whole ? "settingWhole" : "settingRange", { label, min: min / factor, max: max / factor });
}

/** The label with its unit, such as `Timeout (s)`. */
function numberLabel({ label, unit }: NumberSetting): TextValue {
  if (unit === undefined) return { label };
  return errorText("settingLabelUnit", { label: { label }, unit: { label: `account:unit.${unit}` } });
}

function choiceFault(setting: ChoiceSetting, stored: unknown): ErrorText | undefined {
  const { label, choices } = setting;
  if (isAbsent(setting, stored) || choiceOf(choices, stored) !== undefined) return undefined;
  return errorText("settingChoice", { label: { label }, value: String(stored), choices: choices.join(", ") });
}

function textFault(setting: TextSetting, stored: unknown, others: Properties): ErrorText | undefined {
  // Such as the name of a node, which only Node-RED reads.
  if (setting.label === undefined && !setting.check) return undefined;
  const label = { label: setting.label ?? "" };
  const text = isAbsent(setting, stored) ? setting.default : stored;
  if (typeof text !== "string") return errorText("settingText", { label });
  return setting.check?.(normalize(setting, text), label, others);
}

/** The value of a setting without a fault. */
export function settingValue<S extends Setting>(setting: S, stored: unknown): SettingValue<S>;
export function settingValue(setting: Setting, stored: unknown): unknown {
  if (isAbsent(setting, stored)) return defaultOf(setting);
  switch (setting.kind) {
    case "number":
      return numberOf(stored);
    case "choice":
      return choiceOf(setting.choices, stored);
    case "node":
      return String(stored);
    case "text":
      return normalize(setting, String(stored));
    case "names":
      return Array.isArray(stored) ? stored.map(String) : setting.default;
    default:
      return stored;
  }
}

/** The value of a setting that is not in the flow file, or that the user left empty. */
export function defaultOf(setting: Setting): unknown {
  if (setting.kind === "number" && setting.mayBeEmpty) return undefined;
  return "default" in setting ? setting.default : "";
}

function isAbsent(setting: Setting, stored: unknown): boolean {
  if (stored === undefined || stored === null) return true;
  if (setting.kind === "boolean") return typeof stored !== "boolean";
  const isEmpty = typeof stored === "string" && stored.trim() === "";
  return isEmpty && (setting.kind !== "text" || setting.mayBeEmpty === true);
}

/** The number that a stored value represents, which may be text. */
export function numberOf(stored: unknown): number | undefined {
  const isNumber = typeof stored === "number" || (typeof stored === "string" && stored.trim() !== "");
  return isNumber && Number.isFinite(Number(stored)) ? Number(stored) : undefined;
}

function choiceOf(choices: readonly (string | number)[], stored: unknown): string | number | undefined {
  return choices.find((choice) => String(choice) === String(stored));
}

function normalize({ trimmed }: TextSetting, text: string): string {
  return trimmed ? text.trim() : text;
}
