// What a report shows of ids, error texts and settings: nothing that identifies someone, or that others have written.
import { createHmac } from "node:crypto";
import { PREVIEW_VERSION } from "../client/connection";
import { EnergyError, type ErrorText, type TextValue } from "../errors";
import { UNITS } from "../models/measurements";
import { mapValues } from "../objects";
import type { Properties, Setting, Settings } from "../settings/kinds";
import { isInUse, settingFault, settingValue } from "../settings/reading";
import { DEFAULT_VERSION_HEADER } from "../settings/rules";
import type { Texts } from "./parts";

/** Equal ids, names and hosts stay recognizable: the same text gives the same short hash, such as `id-1a2b3c4d`. */
export type Hash = (text: string) => string;

/** Enough to tell apart the ids of one installation. */
const LENGTH = 8;

/** @param key random and secret: without it, short ids could be tried one by one */
export function hashWith(key: string): Hash {
  return (text) => `id-${createHmac("sha256", key).update(text).digest("hex").slice(0, LENGTH)}`;
}

/** Values of texts that identify no one, by the name of their placeholder; anything else is replaced. */
const SAFE_VALUES: Readonly<Record<string, RegExp>> = {
  code: /^[A-Z][A-Z0-9_]{1,60}$/,
  from: /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/,
  to: /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/,
  duration: /^(\d+ (d|h|min) ?)+$/,
  size: /^\d+ [KM]iB$/,
  day: /^\d{4}-\d\d-\d\d$/,
};

/** Ids are hashed; what the service says is left out. */
export function safeText(text: ErrorText, hash: Hash): string {
  return new EnergyError("ENERGY_INTERNAL", redacted(text, hash)).message;
}

/** Without what the service says. */
export function ownText(text: ErrorText): ErrorText {
  const { text: inner } = text.values;
  const isOurs = text.key === "serviceSays" && typeof inner === "object" && "key" in inner;
  return isOurs ? ownText(inner) : text;
}

function redacted(text: ErrorText, hash: Hash): ErrorText {
  const { key, values } = ownText(text);
  return { key, values: mapValues(values, (value, name) => safeValue(name, value, hash)) };
}

function safeValue(name: string, value: TextValue, hash: Hash): TextValue {
  if (typeof value === "number") return value;
  if (typeof value === "object") return "key" in value ? redacted(value, hash) : value;
  if (value === "" || SAFE_VALUES[name]?.test(value)) return value;
  // A list of systems: each must be recognizable.
  return name === "systems" ? value.split(", ").map(hash).join(", ") : hash(value);
}

/** The texts that are shown as they are; the others are hashed. A pattern, because a secret may be in the wrong field. */
const PLAIN_TEXTS: Readonly<Record<string, RegExp>> = {
  path: new RegExp(`^(${[...UNITS.keys()].join("|").replaceAll(".", "\\.")})$`),
  store: /^(file|none|context:(default|memory|memoryOnly|file|localfilesystem))$/,
  apiVersion: new RegExp(`^(\\d{4}-\\d\\d-\\d\\d|${PREVIEW_VERSION.replaceAll(".", "\\.")})$`),
  versionHeader: new RegExp(`^${DEFAULT_VERSION_HEADER}$`),
  siteId: /^\*$/,
  systemId: /^\*$/,
};

/**
 * The settings that differ from their default. What was entered as a text is hidden, but for a few that help.
 * @param stored as in the flow file, with the credentials
 */
export function settingTexts(table: Settings, stored: Readonly<Record<string, unknown>>, hash: Hash): Texts {
  // A flow file may hold objects that cannot be converted to text.
  const others: Properties = (key) => (typeof stored[key] === "object" ? undefined : stored[key]);
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, setting]) => {
      const text = isInUse(table, setting, others) ? settingText(name, setting, others, hash) : undefined;
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** Undefined for a value that need not be shown. */
function settingText(name: string, setting: Setting, others: Properties, hash: Hash): string | undefined {
  const stored = others(name);
  if (setting.kind === "names") return undefined;
  const isText = setting.kind === "text";
  if (setting.kind === "node" || (isText && setting.credential !== undefined))
    return stored === undefined || stored === "" ? "not set" : "set";
  if (!isText && settingFault(setting, stored, others) !== undefined) return "not valid";
  const value = String(settingValue(setting, stored) ?? "");
  if (value === String(setting.default)) return undefined;
  if (value === "") return "empty";
  return !isText || PLAIN_TEXTS[name]?.test(value) === true ? value : hash(value.trim());
}
