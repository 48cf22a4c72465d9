// Checks values of stored data, which may be damaged.
import { isServiceObject } from "../../models/service-object";
import type { Absence } from "./absence";

/** Whether a value is a time in milliseconds since the epoch. */
export function isTime(value: unknown): value is number {
  return typeof value === "number" && !Number.isNaN(new Date(value).getTime());
}

export function isTextOrNone(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

export function isAbsenceOrNone(value: unknown): value is Absence | undefined {
  if (value === undefined) return true;
  return isServiceObject(value) && isTime(value["since"]) && Number.isFinite(value["lists"]);
}
