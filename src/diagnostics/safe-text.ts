// The English text of an error without anything that the service, a message or a user has written.
import { EnergyError, type ErrorText, type TextValue } from "../errors";
import type { Hash } from "./hash";

/** Values of texts that identify nobody, by the name of their placeholder; anything else is replaced. */
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
  const safe = Object.entries(values).map(([name, value]) => [name, safeValue(name, value, hash)] as const);
  return { key, values: Object.fromEntries(safe) };
}

function safeValue(name: string, value: TextValue, hash: Hash): TextValue {
  if (typeof value === "number") return value;
  if (typeof value === "object") return "key" in value ? redacted(value, hash) : value;
  if (value === "" || SAFE_VALUES[name]?.test(value)) return value;
  // A list of systems: each must be recognizable.
  return name === "systems" ? value.split(", ").map(hash).join(", ") : hash(value);
}
