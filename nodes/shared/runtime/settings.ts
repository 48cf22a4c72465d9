// Reads the properties of a node as the flow file holds them: numbers may be text, ${NAME} may stand for any text.
import type { Node, NodeAPI } from "node-red";
import { ConfigError } from "../../../src/errors";

const WHOLE_REFERENCE = /^\$[{(]([^})]+)[})]$/;
/** Only what may be the name of a variable: a secret may hold any other text. */
const EMBEDDED_REFERENCE = /\$\{([A-Za-z_][\w.-]*)\}/g;

/** A reference that Node-RED left standing, because the variable does not exist, is no value. */
export function rejectUndefinedVariable(value: unknown): void {
  const name = typeof value === "string" ? WHOLE_REFERENCE.exec(value)?.[1] : undefined;
  if (name) throw undefinedVariable(name);
}

/** The text with every ${NAME} in it replaced. Node-RED itself replaces only a text that is wholly a reference. */
export function resolveText(RED: NodeAPI, node: Node, value: string): string {
  rejectUndefinedVariable(value);
  return value.replace(EMBEDDED_REFERENCE, (_reference, name: string) => environmentValue(RED, node, name));
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

export interface NumberRule {
  /** The property as people know it, with its unit. */
  label: string;
  /** Absent: there must be a number. */
  fallback?: number;
  /** Absent: any number will do. */
  min?: number;
  max?: number;
}

/** The longest time that a timer takes, in seconds: 24 days. */
export const LONGEST_TIMER = Math.floor((2 ** 31 - 1) / 1000);

/** A number property; empty or absent means its default. Throws ConfigError for anything that is no number. */
export function numberSetting(value: unknown, { label, fallback, min, max }: NumberRule): number {
  const isEmpty = value === undefined || value === null || value === "";
  if (isEmpty && fallback !== undefined) return fallback;
  rejectUndefinedVariable(value);
  const isNumber = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  const number = isNumber ? Number(value) : Number.NaN;
  if (!Number.isFinite(number) || (min !== undefined && number < min))
    throw min === undefined
      ? new ConfigError("settingNumber", { label })
      : new ConfigError("settingMin", { label, min });
  if (max !== undefined && number > max) throw new ConfigError("settingMax", { label, max });
  return number;
}
