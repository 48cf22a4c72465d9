// Reports every failure of a node to catch nodes, with the error code in the message.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { FleetError, ServiceDownError } from "../../../../src/errors";
import { attempts, errorInfo, errorMessage, type Failure, PartialFailure } from "../base/errors";
import { type EndedTrigger, endWithError, errorMessageFrom } from "../base/ended-message";
import { setAddress } from "../base/message";

function failuresOf(error: unknown): Failure[] {
  return error instanceof PartialFailure ? error.failures : [{ error }];
}

/** Seconds until a run may succeed that ended early because the service failed for all; undefined for any other. */
export function retrySeconds(error: unknown): number | undefined {
  const [ofAll] = failuresOf(error).flatMap(({ error: one }) =>
    one instanceof FleetError || one instanceof ServiceDownError ? one : [],
  );
  return ofAll?.retryIn;
}

/** Identifies repeated failures. All 5xx responses count as one: a service that is down reports it in many ways. */
function failureSignature(error: unknown): string {
  const { code, statusCode = 0 } = errorInfo(error);
  return `${code} ${statusCode < 500 ? statusCode : "5xx"}`;
}

/** Reports failures to catch nodes. */
export interface FailureReport {
  /** Reports all failures but the last, and ends the message with the last one. */
  endMessage(error: unknown, trigger: EndedTrigger): void;
  /** For work without a message: a repeated failure is reported once, until the node recovers. */
  withoutMessage(error: unknown): void;
  /** Reports a failure that does not end the run. */
  besides(error: unknown, message: NodeMessage): void;
  recovered(): void;
}

export function failureReport(RED: NodeAPI, node: Node, kind: string): FailureReport {
  const attempt = attempts(RED, node);
  /** The last failure of each site or system. */
  const reported = new Map<string, string>();

  /** The message for the catch node: that of the trigger with the address that failed and the error code. */
  function failedMessage(message: NodeMessage, { error, address }: Failure): NodeMessage {
    const copy = errorMessageFrom(message);
    if (address) setAddress(copy, address);
    copy["energy"] = { kind, error: errorInfo(error) };
    return copy;
  }

  /** One that cannot be told must not hide the others. */
  function tell(failure: Failure, message: NodeMessage): void {
    attempt(() => node.error(errorMessage(RED, failure.error), failedMessage(message, failure)));
  }

  function note(failures: Failure[]): ReadonlyMap<string, string> {
    const before = new Map(reported);
    // A failure of the whole service says nothing about the sites that failed before.
    const isOfAll = failures.some(({ address }) => address === undefined);
    if (isOfAll) reported.delete(WHOLE_RUN);
    else reported.clear();
    for (const failure of failures) reported.set(addressKey(failure), failureSignature(failure.error));
    return before;
  }

  return {
    endMessage(error, trigger) {
      const failures = failuresOf(error);
      note(failures);
      for (const failure of failures.slice(0, -1)) tell(failure, trigger.message);
      const last = failures.at(-1) ?? { error };
      endWithError(node, trigger, errorMessage(RED, last.error), failedMessage(trigger.message, last));
    },
    withoutMessage(error) {
      const failures = failuresOf(error);
      const before = note(failures);
      for (const failure of failures) {
        if (before.get(addressKey(failure)) !== failureSignature(failure.error)) tell(failure, {});
      }
    },
    besides(error, message) {
      for (const failure of failuresOf(error)) tell(failure, message);
    },
    recovered: () => reported.clear(),
  };
}

const WHOLE_RUN = addressKey({ error: undefined });

function addressKey({ address }: Failure): string {
  return JSON.stringify(address ?? {});
}
