// Sends messages as a sequence that a core join node can combine.
import type { NodeAPI } from "node-red";
import type { Content } from "./message";
import type { Reply } from "./queue/replies";

/** The position of a message in its sequence. */
interface Part {
  id: string;
  index: number;
  count?: number;
}

/** Sets `msg.parts` as the core split node does for an array; existing parts are nested inside. */
function sendPart(reply: Reply, content: Content, part: Part): void {
  const message = reply.make(content);
  const outer = message["parts"] === undefined ? {} : { parts: message["parts"] };
  message["parts"] = { ...outer, ...part, type: "array", len: 1 };
  reply.send(message);
}

export function sendSequence(RED: NodeAPI, reply: Reply, contents: Content[]): void {
  const id = RED.util.generateId();
  const count = contents.length;
  contents.forEach((content, index) => sendPart(reply, content, { id, index, count }));
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
    this.#send({ count: this.#sent + 1 });
  }

  /** Sends the pending message without completing the sequence. */
  abort(): void {
    this.#send();
  }

  #send(end: { count?: number } = {}): void {
    if (!this.#pending) return;
    sendPart(this.#reply, this.#pending, { id: this.#id, index: this.#sent, ...end });
    this.#sent += 1;
    this.#pending = undefined;
  }
}
