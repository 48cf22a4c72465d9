// Reads the settings of a node from the flow file, based on the table of settings, and resolves ${NAME}.
import type { Node, NodeAPI } from "node-red";
import { ConfigError, type TextValue } from "../../../../src/errors";
import { isInUse, settingFault, settingValue } from "../../../../src/settings/read";
import type {
  Properties,
  Setting,
  Settings,
  SettingValue,
  SettingValues,
  StoredSettings,
} from "../../../../src/settings/setting";
import { EMBEDDED_REFERENCE, referenceName } from "../../../../src/settings/text";

/** Throws ConfigError if the variable does not exist, where Node-RED would leave the reference unchanged. */
export function rejectUndefinedVariable(value: unknown): void {
  const name = referenceName(value);
  if (name) throw undefinedVariable(name);
}

/**
 * Replaces every ${NAME} in a text. Node-RED itself replaces only a text that consists of a single reference.
 * @throws ConfigError for a variable that does not exist
 */
function resolveText(RED: NodeAPI, node: Node, value: string): string {
  rejectUndefinedVariable(value);
  return value.replace(EMBEDDED_REFERENCE, (_reference, name: string) => environmentValue(RED, node, name));
}

/**
 * As resolveText, for a text that may be a secret that only looks like a reference, such as `$(x)`.
 * @param label names the field in the error, which shows nothing of the text
 * @throws ConfigError for a variable that does not exist
 */
export function resolveSecret(RED: NodeAPI, node: Node, value: string, label: TextValue): string {
  try {
    return resolveText(RED, node, value);
  } catch {
    throw new ConfigError("variableMissingIn", { label });
  }
}

export function environmentValue(RED: NodeAPI, node: Node, name: string): string {
  const value: unknown = RED.util.evaluateNodeProperty(name, "env", node, {});
  const isText = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (!isText || value === "") throw undefinedVariable(name);
  return String(value);
}

function undefinedVariable(name: string): ConfigError {
  return new ConfigError("variableMissing", { name });
}

/** The validated settings of a node, with every ${NAME} replaced. Throws ConfigError. */
export function readSettings<Table extends Settings>(
  RED: NodeAPI,
  node: Node,
  table: Table,
  stored: StoredSettings<Table>,
): SettingValues<Table> {
  const properties: Readonly<Record<string, unknown>> = stored;
  const others = (key: string): unknown => properties[key];
  const read = (setting: Setting, key: string): unknown => {
    if (!isInUse(table, setting, others)) return settingValue(setting, undefined);
    return checkedValue(setting, resolved(RED, node, setting, properties[key]), others);
  };
  const values = Object.entries(table).map(([key, setting]) => [key, read(setting, key)]);
  return Object.fromEntries(values) as SettingValues<Table>;
}

function resolved(RED: NodeAPI, node: Node, setting: Setting, stored: unknown): unknown {
  if (setting.kind !== "text") rejectUndefinedVariable(stored);
  if (setting.kind !== "text" || setting.variables !== true || typeof stored !== "string") return stored;
  const label = { label: setting.label ?? "" };
  return setting.credential === undefined
    ? resolveText(RED, node, stored)
    : resolveSecret(RED, node, stored, label);
}

/** Calls `read` until it succeeds, and keeps the result: a node whose settings change is started anew. */
export function kept<Read extends object>(read: () => Read): () => Read {
  let known: Read | undefined;
  return () => (known ??= read());
}

/** Reads one setting of a node without validating the others. Throws ConfigError. */
export function readSetting<S extends Setting>(setting: S, stored: unknown): SettingValue<S> {
  rejectUndefinedVariable(stored);
  return checkedValue(setting, stored, () => undefined);
}

function checkedValue<S extends Setting>(setting: S, stored: unknown, others: Properties): SettingValue<S> {
  const fault = settingFault(setting, stored, others);
  if (fault) throw new ConfigError(...fault);
  return settingValue(setting, stored);
}
