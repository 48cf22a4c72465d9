// The life of a node that only works on messages: no account, no runs of its own, never a throw.
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { endsInTime } from "./ends-within";
import { errorMessage, fail, failedMessage } from "./error-report";
import { afterStart } from "./schedule";
import { errorStatus, nodeStatus, type StatusText } from "./status";

export type Send = (message: NodeMessage | (NodeMessage | null)[]) => void;

/** Works on one message. Gives what the node is to show, if that changes. May throw: the funnel is here. */
export type Handler = (
  message: NodeMessage,
  send: Send,
) => Promise<StatusText | undefined> | StatusText | undefined;

export interface HandlingOptions {
  /** What comes before the first message. May throw: the node goes on. */
  start?: () => Promise<void>;
  /** What to end when the node is closed, after the last message. Never rejects. */
  close?: () => Promise<void>;
}

/** Hands messages to the handler one after another; each is done, or goes to catch nodes with its error. */
export function startHandling(
  RED: NodeAPI,
  node: Node,
  kind: string,
  handle: Handler,
  { start = () => Promise.resolve(), close = () => Promise.resolve() }: HandlingOptions = {},
): void {
  let isClosed = false;

  /** Shows what failed, and gives the text for catch nodes; the message goes there with the code. */
  function failed(error: unknown, message: NodeMessage): string {
    node.status(nodeStatus(RED, errorStatus(error)));
    Object.assign(message, failedMessage(RED, message, kind, { error }));
    return errorMessage(RED, error);
  }

  let cancelReport = (): void => undefined;
  let last = start().catch((error: unknown) => {
    const message: NodeMessage = {};
    const failure = failed(error, message);
    cancelReport = afterStart(() => node.error(failure, message));
  });

  node.on("input", (message, send, done) => {
    last = last.then(async () => {
      if (isClosed) return;
      try {
        const status = await handle(message, send);
        if (status) node.status(nodeStatus(RED, status));
        done();
      } catch (error) {
        fail(done, failed(error, message));
      }
    });
  });
  node.on("close", (done: () => void) => {
    isClosed = true;
    cancelReport();
    void endsInTime(last.then(close)).then(done);
  });
}
