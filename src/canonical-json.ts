// JSON that does not depend on the order of fields, digests of it, and JSON that may be damaged.
import { createHash } from "node:crypto";

/** With the fields of each object in alphabetical order. A replacer for JSON.stringify would take three times as long. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const fields = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, part]) => `${JSON.stringify(field)}:${canonicalJson(part)}`);
  return `{${fields.join()}}`;
}

/** Undefined for a text that is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same for equal values, and different for others. `hex` is safe as a file name. */
export function digestOf(value: unknown, encoding: "hex" | "base64url" = "hex"): string {
  return createHash("sha256").update(canonicalJson(value)).digest(encoding);
}
