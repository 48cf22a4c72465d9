// Sends messages as a sequence that a core join node can combine.
import type { NodeAPI } from "node-red";
import type { Content, SequencePart } from "../base/message";
import type { Reply } from "./replies";

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

  /** Sends the pending message as the last of the sequence. */
  end(): void {
    this.#send(this.#sent + 1);
  }

  /** Sends the pending message without completing the sequence. */
  abort(): void {
    this.#send();
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
