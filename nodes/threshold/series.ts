// The state of a threshold for each site, system or topic, and the messages that report its decisions.
import type { NodeAPI, NodeMessage } from "node-red";
import type { Decision, ThresholdState } from "../../src/decisions/threshold";
import { isLarge } from "../../src/messages/incoming";
import type { ThresholdEnergy } from "../../src/messages/messages";
import type { Send } from "../shared/runtime/lifecycle/lifecycle";
import type { Subject } from "../../src/decisions/subject";

export interface Series {
  subject: Subject;
  state: ThresholdState;
  /** The last message decided on, if it may have to be sent later: after a hold time, or again. */
  message?: NodeMessage | undefined;
  /** The last record of this package, to be judged again after a deploy. */
  record?: NodeMessage;
}

/** Sends a decision on its output, with the message that it is about; without one, as a message of the node's own. */
export function sendDecision(
  decision: Decision,
  message: NodeMessage | undefined,
  { subject }: Series,
  send: Send,
): void {
  const energy: ThresholdEnergy = { kind: "threshold", ...decision };
  const port = "reason" in decision ? 2 : ["high", "low"].indexOf(decision.edge);
  const sent = message ?? { payload: "reason" in decision ? null : decision.value, ...subject };
  send([0, 1, 2].map((index) => (index === port ? { ...sent, energy } : null)));
}

/**
 * A copy that other nodes may change, without the open request of an http in node; undefined if it is large or cannot be copied:
 * then what is sent later is a message of the node's own.
 */
export function copyOf(RED: NodeAPI, message: NodeMessage | undefined): NodeMessage | undefined {
  if (message === undefined) return undefined;
  const {
    req: _request,
    res: _response,
    ...rest
  } = message as NodeMessage & { req?: unknown; res?: unknown };
  try {
    return isLarge(rest) ? undefined : RED.util.cloneMessage(rest);
  } catch {
    return undefined;
  }
}
