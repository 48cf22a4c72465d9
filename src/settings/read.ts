// Checks and reads stored settings by the table: the dialogs check them, the runtime checks and reads them.
import { numberFault, numberOf } from "./number";
import type {
  ChoiceSetting,
  Fault,
  NumberSetting,
  Properties,
  Setting,
  Settings,
  SettingValue,
  TextSetting,
} from "./setting";

/** Whether a setting is in use, which may depend on the values of others. */
export function isInUse(
  settings: Settings,
  { when = {}, unless = {} }: Setting,
  others: Properties,
): boolean {
  const has = ([key, value]: [string, unknown]): boolean => {
    const other = settings[key];
    return other !== undefined && settingValue(other, others(key)) === value;
  };
  return Object.entries(when).every(has) && !Object.entries(unless).some(has);
}

/** Why a stored value is not valid; undefined if it is. */
export function settingFault(setting: Setting, stored: unknown, others: Properties): Fault | undefined {
  switch (setting.kind) {
    case "number":
      return optionalNumberFault(setting, stored, others);
    case "choice":
      return choiceFault(setting, stored);
    case "text":
      return textFault(setting, stored, others);
    default:
      return undefined;
  }
}

function optionalNumberFault(setting: NumberSetting, stored: unknown, others: Properties): Fault | undefined {
  const mayBeAbsent = setting.mayBeEmpty === true || absentValue(setting) !== "";
  if (mayBeAbsent && isAbsent(setting, stored)) return undefined;
  return numberFault(setting, stored) ?? setting.check?.(Number(stored), others);
}

function choiceFault(setting: ChoiceSetting, stored: unknown): Fault | undefined {
  const { label, choices } = setting;
  if (isAbsent(setting, stored) || choiceOf(choices, stored) !== undefined) return undefined;
  return ["settingChoice", { label: { label }, value: String(stored), choices: choices.join(", ") }];
}

function textFault(setting: TextSetting, stored: unknown, others: Properties): Fault | undefined {
  // Such as the name of a node, which only Node-RED reads.
  if (setting.label === undefined && !setting.check) return undefined;
  const label = { label: setting.label ?? "" };
  const text = isAbsent(setting, stored) ? absentValue(setting) : stored;
  if (typeof text !== "string") return ["settingText", { label }];
  return setting.check?.(normalize(setting, text), label, others);
}

/** The value of a setting without a fault. */
export function settingValue<S extends Setting>(setting: S, stored: unknown): SettingValue<S>;
export function settingValue(setting: Setting, stored: unknown): unknown {
  if (isAbsent(setting, stored)) {
    const isNoNumber = setting.kind === "number" && setting.mayBeEmpty === true;
    return isNoNumber ? undefined : absentValue(setting);
  }
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
export function absentValue(setting: Setting): unknown {
  if ("absent" in setting) return setting.absent;
  return "default" in setting ? setting.default : "";
}

function isAbsent(setting: Setting, stored: unknown): boolean {
  if (stored === undefined || stored === null) return true;
  if (setting.kind === "boolean") return typeof stored !== "boolean";
  const isEmpty = typeof stored === "string" && stored.trim() === "";
  return isEmpty && (setting.kind !== "text" || setting.mayBeEmpty === true);
}

function choiceOf(choices: readonly (string | number)[], stored: unknown): string | number | undefined {
  return choices.find((choice) => String(choice) === String(stored));
}

function normalize({ trimmed }: TextSetting, text: string): string {
  return trimmed ? text.trim() : text;
}
