// The table of a node's settings: their kinds, and how stored ones are checked and read; the dialogs check them, the runtime checks and reads them.
import { type ErrorText, errorText, type TextValue } from "../errors";
import { mapValues } from "../objects";
import { decimalOf } from "./rules";

/** Looks up another setting of the same node, in the flow file or the open dialog. */
export type Properties = (key: string) => unknown;

type SettledValue = string | number | boolean;

/** Values of other settings, by property; of several, any. */
type Condition = Readonly<Record<string, SettledValue | readonly SettledValue[]>>;

interface Common {
  /** Part of a node's schedule: without a valid one, the node still handles messages. */
  readonly ofSchedule?: true;
  /** Catalogue key of its label in the dialog, such as `account:label.maxAge`. */
  readonly label?: string;
  /** The setting is in use only if these others have these values. Otherwise it is neither shown nor checked. */
  readonly when?: Condition;
  /** The setting is not in use if any of these others has this value. */
  readonly unless?: Condition;
}

export interface NumberSetting extends Common {
  readonly kind: "number";
  readonly label: string;
  /** Key under `unit` in the account's catalogue. */
  readonly unit?: string;
  /** "" = none: the user must enter a number. */
  readonly default: number | "";
  readonly min?: number;
  readonly max?: number;
  readonly whole?: true;
  /** Whether an empty field means that there is no such number. */
  readonly mayBeEmpty?: true;
  readonly check?: (value: number, others: Properties) => ErrorText | undefined;
}

export interface ChoiceSetting extends Common {
  readonly kind: "choice";
  readonly label: string;
  readonly choices: readonly (string | number)[];
  readonly default: string | number;
}

export interface TextSetting extends Common {
  readonly kind: "text";
  readonly default: string;
  /** Stored apart from the flow, encrypted; a password is never sent to the editor. */
  readonly credential?: "text" | "password";
  /** Whether surrounding white space is removed. */
  readonly trimmed?: true;
  /** Whether `${NAME}` within the text is replaced by an environment variable. */
  readonly variables?: true;
  /** Whether an empty field means the default. */
  readonly mayBeEmpty?: true;
  /** Whether a number stands for its text, as where the text may be one. */
  readonly mayBeNumber?: true;
  readonly check?: (text: string, label: TextValue, others: Properties) => ErrorText | undefined;
}

/** The id of a config node. */
export interface NodeSetting extends Common {
  readonly kind: "node";
  readonly type: string;
  readonly required?: false;
}

export type Setting =
  | NumberSetting
  | ChoiceSetting
  | TextSetting
  | NodeSetting
  | (Common & { readonly kind: "boolean"; readonly default: boolean })
  // Names that the user ticks.
  | (Common & { readonly kind: "names"; readonly default: readonly string[] });

export type Settings = Readonly<Record<string, Setting>>;

export type SettingValue<S extends Setting> = S extends NumberSetting
  ? S extends { mayBeEmpty: true }
    ? number | undefined
    : number
  : S extends { kind: "boolean" }
    ? boolean
    : S extends { kind: "choice"; choices: readonly (infer Choice)[] }
      ? Choice
      : S extends { kind: "names" }
        ? string[]
        : string;

export type SettingValues<Table extends Settings> = { [Key in keyof Table]: SettingValue<Table[Key]> };

/** The settings as stored in the flow file, unchecked. */
export type StoredSettings<Table extends Settings> = { readonly [Key in keyof Table]?: unknown };

export function number<const Options extends Omit<NumberSetting, "kind" | "label">>(
  label: string,
  options: Options,
): Options & Pick<NumberSetting, "kind" | "label"> {
  return { ...options, kind: "number", label };
}

/** A row for a choice, of which the first is the default. */
export function choice<const Choice extends string | number>(
  label: string,
  choices: readonly [Choice, ...Choice[]],
): ChoiceSetting & { readonly choices: readonly Choice[]; readonly default: Choice } {
  return { kind: "choice", label, choices, default: choices[0] };
}

/** A row for a text that is empty unless there is a default. */
export function text(label: string, options: Partial<Omit<TextSetting, "kind" | "label">> = {}): TextSetting {
  return { default: "", ...options, kind: "text", label };
}

/** The settings, in use only if these others have these values. */
export function inUseWhen<const Table extends Settings>(when: Condition, settings: Table): Table {
  return mapValues(settings, (setting) => ({ ...setting, when: { ...setting.when, ...when } })) as Table;
}

/** The settings, in use unless these others have these values. */
export function inUseUnless<const Table extends Settings>(unless: Condition, settings: Table): Table {
  return mapValues(settings, (setting) => ({ ...setting, unless })) as Table;
}

/** The values that a node uses: a setting that is absent has its default. */
export function usedValues(settings: Settings, stored: Properties): Properties {
  return (key) => settings[key] && settingValue(settings[key], stored(key));
}

/** Whether a setting is in use, which may depend on the values of others. */
export function isInUse(
  settings: Settings,
  { when = {}, unless = {} }: Setting,
  others: Properties,
): boolean {
  const used = usedValues(settings, others);
  const has = ([key, value]: [string, unknown]): boolean => [value].flat().includes(used(key));
  return Object.entries(when).every(has) && !Object.entries(unless).some(has);
}

/** Why a stored value is not valid; undefined if it is. */
export function settingFault(setting: Setting, stored: unknown, others: Properties): ErrorText | undefined {
  if (setting.kind === "number") return numberFault(setting, stored, others);
  if (setting.kind === "choice") return choiceFault(setting, stored);
  return setting.kind === "text" ? textFault(setting, stored, others) : undefined;
}

function numberFault(setting: NumberSetting, stored: unknown, others: Properties): ErrorText | undefined {
  const { min = -Infinity, max = Infinity, whole } = setting;
  if (isAbsent(setting, stored) && (setting.mayBeEmpty || setting.default !== "")) return undefined;
  const value = decimalOf(stored);
  const isInRange = value !== null && value >= min && value <= max;
  if (isInRange && (!whole || Number.isInteger(value))) return setting.check?.(value, others);
  const label = numberLabel(setting);
  if (!Number.isFinite(max - min)) return errorText("settingNumber", { label });
  return errorText(whole ? "settingWhole" : "settingRange", { label, min, max });
}

/** The label with its unit, such as `Timeout (s)`. */
function numberLabel({ label, unit }: NumberSetting): TextValue {
  if (unit === undefined) return { label };
  return errorText("settingLabelUnit", { label: { label }, unit: { label: `account:unit.${unit}` } });
}

function choiceFault(setting: ChoiceSetting, stored: unknown): ErrorText | undefined {
  const { label, choices } = setting;
  if (settingValue<Setting>(setting, stored) !== undefined) return undefined;
  return errorText("settingChoice", { label: { label }, value: String(stored), choices: choices.join(", ") });
}

function textFault(setting: TextSetting, stored: unknown, others: Properties): ErrorText | undefined {
  // Such as the name of a node, which only Node-RED reads.
  if (setting.label === undefined) return undefined;
  const label = { label: setting.label };
  const isText = typeof stored === "string" || (setting.mayBeNumber === true && Number.isFinite(stored));
  if (!isAbsent(setting, stored) && !isText) return errorText("settingText", { label });
  return setting.check?.(settingValue(setting, stored), label, others);
}

/** The value of a setting without a fault. */
export function settingValue<S extends Setting>(setting: S, stored: unknown): SettingValue<S>;
export function settingValue(setting: Setting, stored: unknown): unknown {
  if (isAbsent(setting, stored)) return defaultOf(setting);
  switch (setting.kind) {
    case "number":
      return decimalOf(stored) ?? undefined;
    case "choice":
      return setting.choices.find((one) => String(one) === String(stored));
    case "node":
      return String(stored);
    case "text":
      return setting.trimmed ? String(stored).trim() : String(stored);
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
