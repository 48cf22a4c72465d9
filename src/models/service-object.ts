// Safe access to the service's objects, whose shape is only partly specified (service interface 9 rule 5).
import { type ErrorText, errorText } from "../errors";
import { MAX_DEPTH, MAX_KEPT_MESSAGE } from "../limits";

/** An object from the service; unknown fields are kept. */
export interface ServiceObject {
  [field: string]: unknown;
}

export function isServiceObject(value: unknown): value is ServiceObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const NO_FIELDS: ServiceObject = Object.freeze({});

/** The value if it is an object, else an empty one. */
export function objectOf(value: unknown): ServiceObject {
  return isServiceObject(value) ? value : NO_FIELDS;
}

/** The value if it is an array, else an empty one. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function firstText(object: ServiceObject, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = object[field];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

/** The kind of a value, for error texts. The value itself is never quoted: it may be an echoed secret. */
export function kindOf(value: unknown): ErrorText {
  if (value === undefined) return errorText("isMissing");
  if (value === null) return errorText("isNull");
  if (Array.isArray(value)) return errorText("isArray");
  if (typeof value === "string" && value.trim() === "") return errorText("isEmptyText");
  return errorText(KINDS[typeof value] ?? "isOther");
}

const KINDS: Partial<Record<string, "isObject" | "isText" | "isNumber" | "isBoolean">> = {
  object: "isObject",
  string: "isText",
  number: "isNumber",
  boolean: "isBoolean",
};

/** Of a number, or of anything else that has no length. */
const NUMBER_BYTES = 8;

/** Whether a message, a record or an alert takes more than is kept of one, in bytes, roughly, or contains itself. Visits no more than that. */
export function isLarge(message: object): boolean {
  let left = MAX_KEPT_MESSAGE;
  const visit = (value: unknown, depth: number): boolean => {
    const isBytes = ArrayBuffer.isView(value);
    left -= typeof value === "string" ? value.length : isBytes ? value.byteLength : NUMBER_BYTES;
    if (left < 0 || depth > MAX_DEPTH) return true;
    if (typeof value !== "object" || value === null || isBytes) return false;
    return Object.entries(value).some(([name, own]) => visit(name, depth) || visit(own, depth + 1));
  };
  return visit(message, 0);
}
