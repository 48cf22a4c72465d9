// The one funnel for failures: what the work of a node threw reaches catch nodes, with its code in the message.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import type { SeriesAddress } from "../../../src/ledger/record-id";
import { setAddress } from "./message";
import { errorInfo, errorMessage } from "./public-error";

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

function failuresOf(error: unknown): Failure[] {
  return error instanceof PartialFailure ? error.failures : [{ error }];
}

/** What tells whether the next failure is the same: a service that is down has many ways to say so. */
function failureWay(error: unknown): string {
  const { code, statusCode = 0 } = errorInfo(error);
  return `${code} ${statusCode < 500 ? statusCode : "5xx"}`;
}

/** Tells catch nodes of failures. */
export interface FailureReport {
  /** All failures but the last of the message's work are reported beside it; gives the text that the message ends with. */
  ofMessage(error: unknown, message: NodeMessage): string;
  /** Of work without a message: a failure that repeats is reported once, until the node recovers. */
  ofItself(error: unknown): void;
  recovered(): void;
}

export function failureReport(RED: NodeAPI, node: Node, kind: string): FailureReport {
  /** How each site or system has failed last. */
  const reported = new Map<string, string>();

  /** The message that goes with an error: the one that triggered the work, and where it failed with which code. */
  function failedMessage(message: NodeMessage, { error, address }: Failure): NodeMessage {
    const copy = RED.util.cloneMessage(message);
    if (address) setAddress(copy, address);
    copy["energy"] = { kind, error: errorInfo(error) };
    return copy;
  }

  function note(failures: Failure[]): ReadonlyMap<string, string> {
    const before = new Map(reported);
    reported.clear();
    for (const failure of failures) reported.set(placeOf(failure), failureWay(failure.error));
    return before;
  }

  return {
    ofMessage(error, message) {
      const failures = failuresOf(error);
      note(failures);
      for (const failure of failures.slice(0, -1))
        node.error(errorMessage(RED, failure.error), failedMessage(message, failure));
      const last = failures.at(-1) ?? { error };
      Object.assign(message, failedMessage(message, last));
      return errorMessage(RED, last.error);
    },
    ofItself(error) {
      const failures = failuresOf(error);
      const before = note(failures);
      for (const failure of failures) {
        if (before.get(placeOf(failure)) !== failureWay(failure.error))
          node.error(errorMessage(RED, failure.error), failedMessage({}, failure));
      }
    },
    recovered: () => reported.clear(),
  };
}

function placeOf({ address }: Failure): string {
  return JSON.stringify(address ?? {});
}
