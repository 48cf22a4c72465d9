// What a report shows of ids, error texts and settings: nothing that identifies someone, or that others have written.
import { createHmac, randomBytes } from "node:crypto";
import { EnergyError, type ErrorText, type TextValue } from "../errors";
import { UNITS } from "../models/measurements";
import { mapValues } from "../objects";
import {
  isInUse,
  type Properties,
  type Setting,
  settingFault,
  type Settings,
  settingValue,
} from "../settings/table";

/** Values that are safe to publish, by their name. */
export type Texts = Readonly<Record<string, string>>;

/** Random and never shown: without it, short ids could be tried one by one. */
const KEY = randomBytes(32);
/** Enough to tell apart the ids of one installation. */
const LENGTH = 8;

/** Equal ids, names and hosts stay recognizable as long as Node-RED runs, as the same short hash, such as `id-1a2b3c4d`. */
export function hash(text: string): string {
  return `id-${createHmac("sha256", KEY).update(text).digest("hex").slice(0, LENGTH)}`;
}

/** Times, days, durations and sizes: they identify no one. */
const SAFE_VALUE = /^(\d{4}-\d\d-\d\d(T[\d:.]{5,12}Z)?|(\d+ (d|h|min|KiB|MiB) ?)+)$/;
/** Such as ECONNREFUSED. */
const CODE = /^[A-Z][A-Z0-9_]{1,60}$/;

/** Ids are hashed; what the service says is left out. */
export function safeText(text: ErrorText): string {
  return new EnergyError("ENERGY_INTERNAL", redacted(text)).message;
}

/** Without what the service says. */
export function ownText(text: ErrorText): ErrorText {
  const { text: inner } = text.values;
  const isOurs = text.key === "serviceSays" && typeof inner === "object" && "key" in inner;
  return isOurs ? ownText(inner) : text;
}

function redacted(text: ErrorText): ErrorText {
  const { key, values } = ownText(text);
  return { key, values: mapValues(values, (value, name) => safeValue(name, value)) };
}

function safeValue(name: string, value: TextValue): TextValue {
  if (typeof value === "number") return value;
  if (typeof value === "object") return "key" in value ? redacted(value) : value;
  if (value === "" || SAFE_VALUE.test(value) || (name === "code" && CODE.test(value))) return value;
  // A list of systems: each must be recognizable.
  return name === "systems" ? value.split(", ").map(hash).join(", ") : hash(value);
}

/** Which texts of settings are shown as they are, whatever the field: a secret may be in the wrong one. */
const PLAIN_TEXT =
  /^(\*|file|none|message|context:(default|memory|memoryOnly|file|localfilesystem)|\d{4}-\d\d-\d\d)$/;

/**
 * The settings that differ from their default. What was entered as a text is hidden, but for a few that help.
 * @param stored as in the flow file, with the credentials
 */
export function settingTexts(table: Settings, stored: Readonly<Record<string, unknown>>): Texts {
  // A flow file may hold objects that cannot be converted to text, and names in a list that others have written.
  const others: Properties = (key) => (typeof stored[key] === "object" ? undefined : stored[key]);
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, setting]) => {
      const text = isInUse(table, setting, others) ? settingText(setting, others(name), others) : undefined;
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** Undefined for a value that need not be shown. */
function settingText(setting: Setting, stored: unknown, others: Properties): string | undefined {
  const isText = setting.kind === "text";
  if (setting.kind === "node" || (isText && setting.credential !== undefined))
    return stored === undefined || stored === "" ? "not set" : "set";
  if (!isText && settingFault(setting, stored, others) !== undefined) return "not valid";
  const value = String(settingValue(setting, stored) ?? "");
  if (value === String(setting.default)) return undefined;
  if (value === "") return "empty";
  return !isText || UNITS.has(value) || PLAIN_TEXT.test(value) ? value : hash(value.trim());
}
