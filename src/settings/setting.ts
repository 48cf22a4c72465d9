// The kinds of settings that a node can have, and the types of their values.
import type { TextArguments, TextValue } from "../errors";

/** Why a setting cannot be used: a key of the error texts with its values. */
export type Fault = TextArguments;

/** The other properties of the same node, as the flow file or the open dialog holds them. */
export type Properties = (key: string) => unknown;

/** Values of other settings. */
type Condition = Readonly<Record<string, string | number | boolean>>;

interface Common {
  /** Its label in the dialog: the name of the catalogue, and the key in it. */
  readonly label?: string;
  /** The setting counts only while these others have these values. Otherwise it is neither shown nor checked. */
  readonly when?: Condition;
  /** The setting does not count while one of these others has this value. */
  readonly unless?: Condition;
}

export interface NumberSetting extends Common {
  readonly kind: "number";
  readonly label: string;
  /** Key under `unit` in the catalogue of the account. */
  readonly unit?: string;
  /** Of a new node. "" means that there is none: the user has to enter a number. */
  readonly default: number | "";
  /** What an older flow without the property gets, where that differs from `default`. */
  readonly absent?: number;
  readonly min?: number;
  readonly max?: number;
  readonly whole?: true;
  /** A rule that involves other settings. */
  readonly check?: (value: number, others: Properties) => Fault | undefined;
}

export interface BooleanSetting extends Common {
  readonly kind: "boolean";
  readonly default: boolean;
  readonly absent?: boolean;
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
  /** Spaces around the text do not count. */
  readonly trimmed?: true;
  /** `${NAME}` within the text stands for an environment variable. */
  readonly variables?: true;
  /** A field left empty takes the default. */
  readonly mayBeEmpty?: true;
  readonly check?: (text: string, label: TextValue) => Fault | undefined;
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

/** All settings of a node, by property. */
export type Settings = Readonly<Record<string, Setting>>;

export type SettingValue<S extends Setting> = S extends NumberSetting
  ? number
  : S extends BooleanSetting
    ? boolean
    : S extends { kind: "choice"; choices: readonly (infer Choice)[] }
      ? Choice
      : S extends NamesSetting
        ? string[]
        : string;

/** What the settings of a node are once they are read. */
export type SettingValues<Table extends Settings> = { [Key in keyof Table]: SettingValue<Table[Key]> };

/** The same as the flow file holds them: anything, or nothing. */
export type StoredSettings<Table extends Settings> = { readonly [Key in keyof Table]?: unknown };
