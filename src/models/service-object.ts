// Safe access to fields of the service's objects, whose shape is only partly fixed (service interface 9 rule 5).
import type { ServiceObject } from "./site";

export function isServiceObject(value: unknown): value is ServiceObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first of the fields that holds a text that is not blank. */
export function firstText(object: ServiceObject, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = object[field];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

/** What a value is, in words that repeat nothing of it: it may hold anything, even an echoed secret. */
export function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value === "") return "an empty text";
  return typeof value === "object" ? "an object" : `a ${typeof value === "string" ? "text" : typeof value}`;
}
