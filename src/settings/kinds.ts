// The kinds of settings a node can have, and the types of their values.
import type { ErrorText, TextValue } from "../errors";
import { mapValues } from "../objects";

/** Looks up another setting of the same node, in the flow file or the open dialog. */
export type Properties = (key: string) => unknown;

type SettledValue = string | number | boolean;

/** Values of other settings, by property; of several, any. */
type Condition = Readonly<Record<string, SettledValue | readonly SettledValue[]>>;

interface Common {
  /** Part of a node's schedule: without a valid one, the node still handles messages. */
  readonly ofSchedule?: true;
  /** Catalog key of its label in the dialog, such as `account:label.maxAge`. */
  readonly label?: string;
  /** The setting is in use only if these others have these values. Otherwise it is neither shown nor checked. */
  readonly when?: Condition;
  /** The setting is not in use if any of these others has this value. */
  readonly unless?: Condition;
}

export interface NumberSetting extends Common {
  readonly kind: "number";
  readonly label: string;
  /** Key under `unit` in the account's catalog. */
  readonly unit?: string;
  /** How many of what is stored make one of the unit, which the dialog shows. */
  readonly factor?: number;
  /** "" = none: the user must enter a number. */
  readonly default: number | "";
  readonly min?: number;
  readonly max?: number;
  readonly whole?: true;
  /** Whether an empty field means that there is no such number. */
  readonly mayBeEmpty?: true;
  readonly check?: (value: number, others: Properties) => ErrorText | undefined;
}

export interface BooleanSetting extends Common {
  readonly kind: "boolean";
  readonly default: boolean;
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
  readonly check?: (text: string, label: TextValue, others: Properties) => ErrorText | undefined;
}

/** The id of a config node. */
export interface NodeSetting extends Common {
  readonly kind: "node";
  readonly type: string;
  readonly required?: false;
}

/** Names that the user ticks. */
export interface NamesSetting extends Common {
  readonly kind: "names";
  readonly default: readonly string[];
}

export type Setting =
  NumberSetting | BooleanSetting | ChoiceSetting | TextSetting | NodeSetting | NamesSetting;

export type Settings = Readonly<Record<string, Setting>>;

export type SettingValue<S extends Setting> = S extends NumberSetting
  ? S extends { mayBeEmpty: true }
    ? number | undefined
    : number
  : S extends BooleanSetting
    ? boolean
    : S extends { kind: "choice"; choices: readonly (infer Choice)[] }
      ? Choice
      : S extends NamesSetting
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
