// Answers every message that a run serves with a message of its own, based on that message.
import type { NodeAPI } from "node-red";
import { inTurns } from "../../../../src/loop-turns";
import type { Input } from "../lifecycle/lifecycle";
import type { Send } from "../lifecycle/queue";
import { type Content, type MessageMaker, messageMaker, type SequencePart } from "../base/message";

/** The message to answer: what to base messages on, and how to send them. */
export interface Reply {
  readonly make: MessageMaker;
  readonly send: Send;
}

export interface Replies {
  /** Sends the content to an output, once for each message that the run serves. Outputs count from 1. */
  reply: (content: Content, port?: number) => Promise<void>;
  /** Does the same for content that takes more than one message. */
  replyEach: (answer: (reply: Reply) => void) => Promise<void>;
}

/** Without a message, there is one reply, to no one. */
export function repliesOf(
  RED: NodeAPI,
  { triggers, message, send, signal }: Input,
  taken: readonly string[],
): Replies {
  const served = triggers.length > 0 ? triggers : [{ message, send }];
  const last = served.at(-1);
  const replyEach: Replies["replyEach"] = (answer) =>
    inTurns(served, (trigger) => {
      if (signal.aborted) return;
      const make = messageMaker(RED, trigger.message, taken);
      // The flow may modify what it receives, so only the last reply gets the content itself.
      const own: MessageMaker =
        trigger === last ? make : (content, part) => make(structuredClone(content), part);
      answer({ make: own, send: trigger.send });
    });
  const reply: Replies["reply"] = (content, port = 1) =>
    replyEach(({ make, send: sendReply }) => {
      const made = make(content);
      sendReply(port === 1 ? made : [...Array.from({ length: port - 1 }, () => null), made]);
    });
  return { reply, replyEach };
}

/** Sends messages as a sequence that a core join node can combine. */
export function sendSequence(RED: NodeAPI, reply: Reply, contents: Content[]): void {
  const id = RED.util.generateId();
  const count = contents.length;
  contents.forEach((content, index) =>
    reply.send(reply.make(content, { id, index, count, type: "array", len: 1 })),
  );
}

/** A sequence of unknown length: each message is held until the next arrives, so that the last one carries the count. */
export class OpenSequence {
  readonly #id: string;
  readonly #reply: Reply;
  #pending: Content | undefined;
  #sent = 0;

  constructor(RED: NodeAPI, reply: Reply) {
    this.#reply = reply;
    this.#id = RED.util.generateId();
  }

  add(content: Content): void {
    this.#send();
    this.#pending = content;
  }

  /** Sends the pending message, as the last of the sequence if that is complete. */
  end(isComplete: boolean): void {
    this.#send(isComplete ? this.#sent + 1 : undefined);
  }

  #send(count?: number): void {
    if (!this.#pending) return;
    const part: SequencePart = { id: this.#id, index: this.#sent, type: "array", len: 1 };
    if (count !== undefined) part.count = count;
    this.#reply.send(this.#reply.make(this.#pending, part));
    this.#sent += 1;
    this.#pending = undefined;
  }
}
