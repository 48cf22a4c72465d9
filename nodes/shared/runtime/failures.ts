// Reports every failure of a node to catch nodes, with the error code in the message.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import type { SeriesAddress } from "../../../src/ledger/record-id";
import { setAddress } from "./message";
import { errorInfo, errorMessage } from "./public-error";

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
  ) {
    super(`${failed} of ${total} failed`);
  }
}

function failuresOf(error: unknown): Failure[] {
  return error instanceof PartialFailure ? error.failures : [{ error }];
}

/** Identifies repeated failures. All 5xx responses count as one: a service that is down reports it in many ways. */
function failureSignature(error: unknown): string {
  const { code, statusCode = 0 } = errorInfo(error);
  return `${code} ${statusCode < 500 ? statusCode : "5xx"}`;
}

/** Reports failures to catch nodes. */
export interface FailureReport {
  /** Reports all failures but the last, and returns the text of the last one for `done`. */
  forMessage(error: unknown, message: NodeMessage): string;
  /** For work without a message: a repeated failure is reported once, until the node recovers. */
  withoutMessage(error: unknown): void;
  /** Reports a failure that does not end the run. */
  besides(error: unknown, message: NodeMessage): void;
  recovered(): void;
}

export function failureReport(RED: NodeAPI, node: Node, kind: string): FailureReport {
  /** The last failure of each site or system. */
  const reported = new Map<string, string>();

  /** A message that cannot be copied must not hide the error. */
  function copyOf(message: NodeMessage): NodeMessage {
    try {
      return RED.util.cloneMessage(message);
    } catch {
      return {};
    }
  }

  /** The message for the catch node: a copy of the trigger with the address that failed and the error code. */
  function failedMessage(message: NodeMessage, { error, address }: Failure): NodeMessage {
    const copy = copyOf(message);
    if (address) setAddress(copy, address);
    copy["energy"] = { kind, error: errorInfo(error) };
    return copy;
  }

  function note(failures: Failure[]): ReadonlyMap<string, string> {
    const before = new Map(reported);
    reported.clear();
    for (const failure of failures) reported.set(addressKey(failure), failureSignature(failure.error));
    return before;
  }

  return {
    forMessage(error, message) {
      const failures = failuresOf(error);
      note(failures);
      for (const failure of failures.slice(0, -1))
        node.error(errorMessage(RED, failure.error), failedMessage(message, failure));
      const last = failures.at(-1) ?? { error };
      try {
        Object.assign(message, failedMessage(message, last));
      } catch {
        // A message that can be neither copied nor changed still ends with the text.
      }
      return errorMessage(RED, last.error);
    },
    withoutMessage(error) {
      const failures = failuresOf(error);
      const before = note(failures);
      for (const failure of failures) {
        if (before.get(addressKey(failure)) !== failureSignature(failure.error))
          node.error(errorMessage(RED, failure.error), failedMessage({}, failure));
      }
    },
    besides(error, message) {
      for (const failure of failuresOf(error))
        node.error(errorMessage(RED, failure.error), failedMessage(message, failure));
    },
    recovered: () => reported.clear(),
  };
}

function addressKey({ address }: Failure): string {
  return JSON.stringify(address ?? {});
}
