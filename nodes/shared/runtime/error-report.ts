// The one funnel for errors: whatever was thrown becomes a code, a text for the catch node, and a status.
import type { NodeAPI, NodeMessage } from "node-red";
import {
  type Catalogue,
  EnergyError,
  type ErrorCode,
  type ErrorDetails,
  errorText,
  inLanguage,
} from "../../../src/errors";
import type { SeriesAddress } from "../../../src/ledger/record-id";
import { setAddress } from "./message";

/** Shared texts are in the catalogue of the account. */
const CATALOGUE = "@energy-sites/node-red/account";

/** A failure of one of several sites or systems, or of the whole run. */
export interface Failure {
  error: unknown;
  address?: SeriesAddress | undefined;
}

/** Thrown by a run of which only some sites or systems failed; the others were delivered. */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";
  constructor(
    readonly failures: Failure[],
    readonly total: number,
  ) {
    super(`${failures.length} of ${total} failed`);
  }
}

export function failuresOf(error: unknown): Failure[] {
  return error instanceof PartialFailure ? error.failures : [{ error }];
}

/** What the debug sidebar shows whole. */
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

/** Ends a message with a text, not an Error: the debug sidebar shows a text whole. The published types lack it. */
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

/** What tells whether the next failure is the same: a service that is down has many ways to say so. */
export function failureWay(error: unknown): string {
  const { code, statusCode = 0 } = errorInfo(error);
  return `${code} ${statusCode < 500 ? statusCode : "5xx"}`;
}

/** The message that goes with an error: the one that triggered the run, told what failed where. */
export function failedMessage(
  RED: NodeAPI,
  message: NodeMessage,
  kind: string,
  { error, address }: Failure,
): NodeMessage {
  const told = RED.util.cloneMessage(message);
  if (address) setAddress(told, address);
  told["energy"] = { kind, error: errorInfo(error) };
  return told;
}
