// How an admin route reports an error: a code, and a text that the editor translates, without internals.
import {
  AbortedError,
  EnergyError,
  type ErrorCode,
  type ErrorKey,
  type ErrorText,
  errorText,
  type TextValue,
} from "../../../../src/errors";
import { MAX_ERROR_LENGTH } from "../../../../src/limits";
import { shownText } from "../../../../src/shown-text";

export interface AdminFault {
  code: ErrorCode;
  /** Its values are bounded, and hold no secret. */
  text: ErrorText;
}

const FORBIDDEN: readonly ErrorKey[] = ["adminOrigin", "adminHost"];
const NOT_FOUND: readonly ErrorKey[] = ["accountNotDeployed", "nodeNotDeployed"];

export function adminFault(error: unknown): AdminFault {
  if (error instanceof EnergyError) return { code: error.code, text: shortened(error.text) };
  if (error instanceof AbortedError) return { code: "ENERGY_NETWORK", text: errorText("accountClosed") };
  // The message of a foreign error may hold anything.
  const reason = shownText(error instanceof Error ? error.name : typeof error, 80);
  return { code: "ENERGY_INTERNAL", text: errorText("internal", { reason }) };
}

/** The HTTP status of the answer. */
export function faultStatus({ code, text }: AdminFault): number {
  if (FORBIDDEN.includes(text.key)) return 403;
  if (NOT_FOUND.includes(text.key)) return 404;
  if (text.key === "adminTooLarge") return 413;
  if (code === "ENERGY_INTERNAL" || code === "ENERGY_STORE") return 500;
  return code === "ENERGY_CONFIG" || code === "ENERGY_INPUT" ? 400 : 502;
}

function shortened({ key, values }: ErrorText): ErrorText {
  const entries = Object.entries(values).map(([name, value]) => [name, shortValue(value)] as const);
  return { key, values: Object.fromEntries(entries) };
}

function shortValue(value: TextValue): TextValue {
  if (typeof value === "string") return shownText(value, MAX_ERROR_LENGTH);
  return typeof value === "object" && "key" in value ? shortened(value) : value;
}
