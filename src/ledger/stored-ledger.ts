// Reads a stored ledger, which may be damaged or from an older version.
import { parseServiceTime } from "../models/time";
import type { Gap } from "./gaps";
import type { Delivered, Ledger } from "./ledger";

/** The stored ledger, or undefined if it is not valid. Fills in what an older version did not store. */
export function readLedger(stored: unknown): Ledger | undefined {
  if (!isObject(stored)) return undefined;
  const { cursor, delivered, gaps = [], knownFrom } = stored;
  const time = parseServiceTime(cursor);
  if (
    typeof cursor !== "string" ||
    time === undefined ||
    !isListOf(delivered, isDelivered) ||
    !isListOf(gaps, isGap)
  ) {
    return undefined;
  }
  return { cursor, knownFrom: typeof knownFrom === "number" ? knownFrom : time, delivered, gaps };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isDelivered(value: unknown): value is Delivered {
  if (!Array.isArray(value) || value.length < 2) return false;
  const [start, end, fingerprint] = value as unknown[];
  return (
    Number.isFinite(start) &&
    Number.isFinite(end) &&
    (fingerprint === undefined || typeof fingerprint === "string")
  );
}

function isGap(value: unknown): value is Gap {
  return (
    isObject(value) &&
    ["start", "end", "noticed", "nextAsk", "pause"].every((name) => Number.isFinite(value[name]))
  );
}
