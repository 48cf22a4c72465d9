// Describes errors for a report: code and text, where they came from, and nothing that anyone else has written.
import { types } from "node:util";
import type { FailurePart } from "../../../../src/diagnostics/parts";
import { EnergyError } from "../../../../src/errors";
import type { SeriesAddress } from "../../../../src/ledger/record-id";
import { PartialFailure, publicError } from "../base/errors";

/** A run over hundreds of systems may fail for each of them. */
const MAX_PARTS = 5;
const MAX_PLACES = 4;

/** A place in this package, in a line of a stack. */
const PLACE = /^\s+at .*[/\\]((?:src|nodes)(?:[/\\][a-z-]+){1,5}\.[jt]s:\d+:\d+)\)?$/;
const BUILT_IN = /^(Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/;

export function failuresIn(error: unknown, address: SeriesAddress | undefined, at: number): FailurePart[] {
  if (!types.isProxy(error) && error instanceof PartialFailure) {
    const { failures } = error;
    return failures.slice(-MAX_PARTS).flatMap((failure) => failuresIn(failure.error, failure.address, at));
  }
  const { code, text, details } = publicError(error);
  const origin = originOf(error);
  return [
    {
      at,
      code,
      text,
      ...(details.statusCode !== undefined && { statusCode: details.statusCode }),
      ...(address && { address }),
      ...(origin.length > 0 && { origin }),
    },
  ];
}

/** Only of an unexpected error: its text may hold anything, but where it came from helps to find the bug. */
function originOf(error: unknown): string[] {
  if (types.isProxy(error) || !types.isNativeError(error) || error instanceof EnergyError) return [];
  const { name, stack } = error as { name: unknown; stack?: unknown };
  const lines = typeof stack === "string" ? stack.split("\n") : [];
  const places = lines.flatMap((line) => PLACE.exec(line)?.[1] ?? []).slice(0, MAX_PLACES);
  return [...(typeof name === "string" && BUILT_IN.test(name) ? [name] : []), ...places];
}
