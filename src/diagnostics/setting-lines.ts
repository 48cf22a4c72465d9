// The settings of a node as a report shows them: those that differ from the default, and no text that may identify someone.
import { PREVIEW_VERSION } from "../client/connection";
import { UNITS } from "../models/measurements";
import { DEFAULT_VERSION_HEADER } from "../settings/rules";
import { isInUse, settingFault, settingValue } from "../settings/reading";
import type { Properties, Setting, Settings } from "../settings/kinds";
import type { Hash } from "./hash";
import type { Line } from "./parts";

/** The texts that are shown as they are; the others are hashed. A pattern, because a secret may be in the wrong field. */
const PLAIN_TEXTS: Readonly<Record<string, RegExp>> = {
  path: new RegExp(`^(${[...UNITS.keys()].join("|").replaceAll(".", "\\.")})$`),
  store: /^(file|none|context:(default|memory|memoryOnly|file|localfilesystem))$/,
  apiVersion: new RegExp(`^(\\d{4}-\\d\\d-\\d\\d|${PREVIEW_VERSION.replaceAll(".", "\\.")})$`),
  versionHeader: new RegExp(`^${DEFAULT_VERSION_HEADER}$`),
  siteId: /^\*$/,
  systemId: /^\*$/,
};

/** @param stored as in the flow file, with the credentials */
export function settingLines(table: Settings, stored: Readonly<Record<string, unknown>>, hash: Hash): Line[] {
  // A flow file may hold objects that cannot be converted to text.
  const others: Properties = (key) => (typeof stored[key] === "object" ? undefined : stored[key]);
  return Object.entries(table)
    .filter(([, setting]) => isInUse(table, setting, others))
    .flatMap(([name, setting]) => {
      const value =
        typeof stored[name] === "object"
          ? objectText(setting, stored[name])
          : valueText(name, setting, others, hash);
      return value === undefined ? [] : [[name, value] as const];
    });
}

function objectText({ kind }: Setting, stored: object | null): string | undefined {
  if (stored === null) return undefined;
  return kind === "names" && Array.isArray(stored) ? `${stored.length} chosen` : "not valid (an object)";
}

/** Undefined for a value that need not be shown. */
function valueText(name: string, setting: Setting, others: Properties, hash: Hash): string | undefined {
  const stored = others(name);
  if (setting.kind === "names") return undefined;
  if (setting.kind === "text" && setting.credential !== undefined) return isSet(stored) ? "set" : "not set";
  if (name === "baseUrl") return baseUrlText(stored, hash);
  if (setting.kind === "node") return isSet(stored) ? `set (${hash(String(stored))})` : "not set";
  if (setting.kind !== "text" && settingFault(setting, stored, others) !== undefined)
    return `not valid (${hiddenText(stored, hash)})`;
  const value = String(settingValue(setting, stored) ?? "");
  if (value === String(setting.default)) return undefined;
  if (value === "") return "empty";
  const isPlain = setting.kind !== "text" || PLAIN_TEXTS[name]?.test(value) === true;
  return isPlain ? value : hiddenText(value, hash);
}

/** Says what kind of value it is, since that is where mistakes are. */
function hiddenText(stored: unknown, hash: Hash): string {
  if (typeof stored !== "string") return typeof stored;
  const kind = /\$[{(]/.test(stored) ? "with a ${variable}, " : "";
  return `${kind}${stored.length} characters, ${hash(stored.trim())}`;
}

/** The scheme and the parts of the base URL, without the host. */
function baseUrlText(stored: unknown, hash: Hash): string {
  if (!isSet(stored)) return "not set";
  const text = String(stored).trim();
  if (/\$[{(]/.test(text)) return `with a \${variable}, ${hash(text)}`;
  if (!URL.canParse(text)) return `not valid, ${hash(text)}`;
  const { protocol, host, port, pathname } = new URL(text);
  const scheme = /^https?:$/.test(protocol) ? protocol : "(other scheme):";
  const extras = [port === "" ? "" : ", with a port", pathname.length > 1 ? ", with a path" : ""].join("");
  return `${scheme}//(host hidden) ${hash(host)}${extras}`;
}

function isSet(stored: unknown): boolean {
  return typeof stored === "string" ? stored.trim() !== "" : stored !== undefined && stored !== null;
}
