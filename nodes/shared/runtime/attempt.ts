// Does what must not fail: at the end of everything there is nobody left to tell but the log.
import type { Node, NodeAPI } from "node-red";
import { errorMessage } from "./public-error";

/** Never throws. What the action throws is logged. */
export type Attempt = (action: () => void) => void;

export function attempts(RED: NodeAPI, node: Node): Attempt {
  return (action) => {
    try {
      action();
    } catch (error) {
      try {
        node.warn(errorMessage(RED, error));
      } catch {
        // The log itself fails.
      }
    }
  };
}
