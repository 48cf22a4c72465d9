// The one funnel for errors: whatever was thrown becomes a code, a text for the catch node, and a status.
import type { NodeAPI, NodeMessage } from "node-red";
import { EnergyError, type ErrorDetails } from "../../../src/errors";
import type { SeriesAddress } from "../../../src/ledger/record-id";
import { setAddress } from "./message";

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

/** The error as a flow may see it: made new when it is not one of ours, so that nothing travels inside it. */
export function publicError(error: unknown): Error & { code: string } {
  if (error instanceof EnergyError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return Object.assign(new Error(text), { code: "ENERGY_INTERNAL" });
}

/** What `msg.energy.error` holds: catch nodes pass on only message, source, code and stack of the error itself. */
export interface ErrorInfo extends ErrorDetails {
  code: string;
  message: string;
}

export function errorInfo(error: unknown): ErrorInfo {
  const { code, message } = publicError(error);
  return { code, message, ...(error instanceof EnergyError ? error.details : {}) };
}

/** What tells whether the next failure is the same: a service that is down has many ways to say so. */
export function failureWay(error: unknown): string {
  const { code, statusCode = 0 } = errorInfo(error);
  return `${code} ${statusCode < 500 ? statusCode : "5xx"}`;
}

/** The message that goes with an error: the one that triggered the run, told what failed where. */
export function errorMessage(
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
