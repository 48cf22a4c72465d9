// Reads the settings of a node from the flow file by their table, and resolves ${NAME}.
import type { Node, NodeAPI } from "node-red";
import { ConfigError, type ErrorText, type TextValue } from "../../../../src/errors";
import { mapValues } from "../../../../src/objects";
import {
  defaultOf,
  isInUse,
  type Setting,
  settingFault,
  type Settings,
  settingValue,
  type SettingValues,
  type StoredSettings,
} from "../../../../src/settings/table";
import { EMBEDDED_REFERENCE, referenceName } from "../../../../src/settings/rules";

/** The settings of a node, read at its start: a node whose settings change is started anew. */
export interface NodeSettings<Values> {
  readonly table: Settings;
  /** As in the flow file. */
  readonly stored: Readonly<Record<string, unknown>>;
  /** Those that are not valid have their default. */
  readonly values: Values;
  /**
   * All values, once these settings are known to be valid; by default, all but those of the schedule must be.
   * @throws ConfigError for the first one that is not
   */
  valid(...keys: (keyof Values & string)[]): Values;
}

/** Reads all settings of a node, with every ${NAME} replaced. Each run reports what is not valid. */
export function readSettings<Table extends Settings>(
  RED: NodeAPI,
  node: Node,
  table: Table,
  stored: StoredSettings<Table>,
): NodeSettings<SettingValues<Table>> {
  const properties: Record<string, unknown> = { ...stored };
  const others = (key: string): unknown => properties[key];
  const faults = new Map<string, ErrorText>();
  const used = Object.entries(table).filter(([, setting]) => isInUse(table, setting, others));
  for (const [key, setting] of used) {
    try {
      properties[key] = resolved(RED, node, setting, properties[key]);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.set(key, error.text);
    }
  }
  const values = mapValues<Setting, unknown>(table, defaultOf);
  for (const [key, setting] of used) {
    const fault = faults.get(key) ?? settingFault(setting, properties[key], others);
    if (fault) faults.set(key, fault);
    else values[key] = settingValue(setting, properties[key]);
  }
  return {
    table,
    stored,
    values: values as SettingValues<Table>,
    valid(...keys) {
      if (faults.size === 0) return this.values;
      const required = keys.length > 0 ? keys : Object.keys(table).filter((key) => !table[key]?.ofSchedule);
      const [fault] = required.flatMap((key) => faults.get(key) ?? []);
      if (fault) throw new ConfigError(fault);
      return this.values;
    },
  };
}

/** Throws ConfigError for a variable that does not exist. */
function resolved(RED: NodeAPI, node: Node, setting: Setting, stored: unknown): unknown {
  if (setting.kind !== "text") return wholeValue(RED, node, stored) ?? stored;
  if (setting.variables !== true || typeof stored !== "string") return stored;
  return resolveText(RED, node, stored, setting.credential && { label: setting.label ?? "" });
}

/**
 * Replaces every ${NAME} in a text. Node-RED itself replaces only a text that consists of a single reference.
 * @param secret the name of a field whose text must not be shown: it may be a secret that looks like a reference, such as `$(x)`
 * @throws ConfigError for a variable that does not exist
 */
export function resolveText(RED: NodeAPI, node: Node, value: string, secret?: TextValue): string {
  const valueOf = (_reference: string, name: string): string => environmentValue(RED, node, name);
  try {
    return wholeValue(RED, node, value) ?? value.replace(EMBEDDED_REFERENCE, valueOf);
  } catch (error) {
    throw secret ? new ConfigError("variableMissingIn", { label: secret }) : error;
  }
}

/**
 * The value of the variable to which a setting is a reference; undefined if it is none. In a node that is deployed, Node-RED has
 * replaced those that exist. Throws ConfigError for one that does not.
 */
function wholeValue(RED: NodeAPI, node: Node, stored: unknown): string | undefined {
  const name = referenceName(stored);
  return name === undefined ? undefined : environmentValue(RED, node, name);
}

export function environmentValue(RED: NodeAPI, node: Node, name: string): string {
  const value: unknown = RED.util.evaluateNodeProperty(name, "env", node, {});
  const isText = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (!isText || value === "") throw new ConfigError("variableMissing", { name });
  return String(value);
}
