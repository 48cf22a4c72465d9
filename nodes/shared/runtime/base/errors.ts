// Errors as a flow sees them: a text in the language of the runtime and a code, without internals.
import type { NodeAPI } from "node-red";
import {
  type Catalogue,
  AbortedError,
  EnergyError,
  type ErrorText,
  errorText,
  NetworkError,
  reasonOf,
  translate,
} from "../../../../src/errors";
import type { SeriesAddress } from "../../../../src/series/identity";
import { MAX_ERROR_LENGTH } from "../../../../src/limits";
import { catalogueValues, shownText } from "../../../../src/shown-text";

/** A text in the language of the runtime: `account:locale` is `locale` in the catalogue of the account, where shared texts are. */
export function catalogueText(
  RED: NodeAPI,
  key: string,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return RED._(`@energy-sites/node-red/${key}`, catalogueValues(values));
}

/** The error in the language of the runtime: what happened and what to do next, in one line. */
export function errorMessage(RED: NodeAPI, error: unknown): string {
  return textOf(RED, publicError(error).text);
}

/** A text of the catalogue in the language of the runtime, bounded, in one line. */
export function textOf(RED: NodeAPI, errorText: ErrorText): string {
  const catalogue: Catalogue = {
    text: (key, values) => catalogueText(RED, `account:error.${key}`, values),
    label: (name) => catalogueText(RED, name),
    count: (value) => groupedNumber(RED, value),
  };
  return shownText(translate(errorText, catalogue), MAX_ERROR_LENGTH);
}

/** A number with its digits grouped as in the language of the runtime. */
export function groupedNumber(RED: NodeAPI, value: number): string {
  return value.toLocaleString(catalogueText(RED, "account:locale"));
}

/** Converts a foreign error into one of ours, keeping only its message. */
export function publicError(error: unknown): EnergyError {
  if (error instanceof EnergyError) return error;
  // The account was closed, not the node: that would not report it.
  if (error instanceof AbortedError) return new NetworkError("accountClosed");
  return new EnergyError("ENERGY_INTERNAL", errorText("internal", { reason: reasonOf(error) }));
}

/** The failure of one of several sites or systems, or of the whole run. */
export interface Failure {
  error: unknown;
  address?: SeriesAddress | undefined;
}

/** Thrown when only some sites or systems of a run failed; the others were delivered. */
export class PartialFailure extends Error {
  override readonly name = "PartialFailure";
  constructor(
    readonly failures: Failure[],
    /** How many series the run had, and how many of them were not read. */
    readonly total: number,
    readonly failed: number,
    /** How many were read and are fresh, if the status should say so. */
    readonly fresh?: number,
  ) {
    super(`${failed} of ${total} failed`);
  }
}

export function failuresOf(error: unknown): Failure[] {
  return error instanceof PartialFailure ? error.failures : [{ error }];
}
