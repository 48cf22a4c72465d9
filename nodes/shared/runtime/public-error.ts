// Errors as a flow sees them: a text in the language of the runtime and a code, without internals.
import type { NodeAPI } from "node-red";
import {
  type Catalog,
  AbortedError,
  EnergyError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorText,
  errorText,
  NetworkError,
  translate,
} from "../../../src/errors";

/** Shared texts are in the catalogue of the account. */
const CATALOGUE = "@energy-sites/node-red/account";

/** Bounds what values add. The texts themselves fit into the 80 characters that the debug sidebar shows unopened. */
const MAX_TEXT_LENGTH = 500;

/** The error in the language of the runtime: what happened and what to do next, in one line. */
export function errorMessage(RED: NodeAPI, error: unknown): string {
  return textOf(RED, publicError(error).text);
}

/** A text of the catalogue in the language of the runtime, bounded, in one line. */
export function textOf(RED: NodeAPI, errorText: ErrorText): string {
  const catalogue: Catalog = {
    text: (key, values) => RED._(`${CATALOGUE}:error.${key}`, { ...values }),
    label: (name) => RED._(`@energy-sites/node-red/${name}`),
  };
  const text = translate(errorText, catalogue).replaceAll(/\p{C}+/gu, " ");
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH - 1)}…`;
}

/** Converts a foreign error into one of ours, keeping only its message. */
function publicError(error: unknown): EnergyError {
  if (error instanceof EnergyError) return error;
  // The node itself is not closed: then nobody would ask.
  if (error instanceof AbortedError) return new NetworkError("accountClosed");
  const reason = error instanceof Error ? error.message : String(error);
  return new EnergyError("ENERGY_INTERNAL", errorText("internal", { reason }));
}

/** Passes a text, not an Error, of which the debug sidebar shows less, to `done`. The published types do not allow it. */
export function fail(done: (error?: Error) => void, text: string): void {
  (done as (text: unknown) => void)(text);
}

/** The content of `msg.energy.error`. */
export interface ErrorInfo extends ErrorDetails {
  code: ErrorCode;
}

export function errorInfo(error: unknown): ErrorInfo {
  const { code, details } = publicError(error);
  return { code, ...details };
}
