// An error as a flow sees it: a text in the language of the runtime, a code, and nothing of where it came from.
import type { NodeAPI } from "node-red";
import {
  type Catalogue,
  EnergyError,
  type ErrorCode,
  type ErrorDetails,
  errorText,
  inLanguage,
} from "../../../src/errors";

/** Shared texts are in the catalogue of the account. */
const CATALOGUE = "@energy-sites/node-red/account";

/** Bounds what values add. The texts themselves fit into the 80 characters that the debug sidebar shows unopened. */
const LONGEST_TEXT = 500;

/** The error in the language of the runtime: what happened and what to do next, in one line. */
export function errorMessage(RED: NodeAPI, error: unknown): string {
  const catalogue: Catalogue = {
    text: (key, values) => RED._(`${CATALOGUE}:error.${key}`, { ...values }),
    label: (name) => RED._(`@energy-sites/node-red/${name}`),
  };
  const text = inLanguage(publicError(error).text, catalogue).replaceAll(/\p{C}+/gu, " ");
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1)}…`;
}

/** One of ours: made new when it is another, so that nothing travels inside it. */
function publicError(error: unknown): EnergyError {
  if (error instanceof EnergyError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new EnergyError("ENERGY_INTERNAL", errorText("internal", { reason }));
}

/** Ends a message with a text, not an Error, of which the debug sidebar shows less. The published types lack it. */
export function fail(done: (error?: Error) => void, text: string): void {
  (done as (text: unknown) => void)(text);
}

/** What `msg.energy.error` holds. */
export interface ErrorInfo extends ErrorDetails {
  code: ErrorCode;
}

export function errorInfo(error: unknown): ErrorInfo {
  const { code, details } = publicError(error);
  return { code, ...details };
}
