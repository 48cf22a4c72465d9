// The life of a node that only works on messages: no account, no clock of its own, never a throw.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { errorMessage, publicError } from "./error-report";
import { errorStatus, nodeStatus, type StatusText } from "./status";

export type Send = (message: NodeMessage | (NodeMessage | null)[]) => void;

/** Works on one message. Gives what the node is to show, if that changes. May throw: the funnel is here. */
export type Handler = (
  message: NodeMessage,
  send: Send,
) => Promise<StatusText | undefined> | StatusText | undefined;

/** Hands messages to the handler one after another; each is done, or goes to catch nodes with its error. */
export function startHandling(RED: NodeAPI, node: Node, kind: string, handle: Handler): void {
  let isClosed = false;
  let last: Promise<void> = Promise.resolve();

  node.on("input", (message, send, done) => {
    last = last.then(async () => {
      if (isClosed) return;
      try {
        const status = await handle(message, send);
        if (status) node.status(nodeStatus(RED, status));
        done();
      } catch (error) {
        node.status(nodeStatus(RED, errorStatus(error)));
        Object.assign(message, errorMessage(RED, message, kind, { error }));
        done(publicError(error));
      }
    });
  });
  node.on("close", () => {
    isClosed = true;
  });
}
