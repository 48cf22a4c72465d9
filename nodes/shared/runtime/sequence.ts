// Sends several messages as a sequence that a core join node puts together again.
import type { NodeAPI } from "node-red";
import type { Content } from "./message";
import type { Run } from "./service-node";

/** Place of a message in its sequence. */
interface Part {
  id: string;
  index: number;
  count?: number;
}

/** Sets `msg.parts` as the core split node does for an array; parts that were there go on inside. */
function sendPart(run: Run, content: Content, part: Part): void {
  const message = run.make(content);
  const outer = message["parts"] === undefined ? {} : { parts: message["parts"] };
  message["parts"] = { ...outer, ...part, type: "array", len: 1 };
  run.send(message);
}

export function sendSequence(RED: NodeAPI, run: Run, contents: Content[]): void {
  const id = RED.util.generateId();
  const count = contents.length;
  contents.forEach((content, index) => sendPart(run, content, { id, index, count }));
}

/** A sequence whose length is known only at its end: a message waits for the one after it, and the last has the count. */
export class OpenSequence {
  readonly #id: string;
  readonly #run: Run;
  #waiting: Content | undefined;
  #sent = 0;

  constructor(RED: NodeAPI, run: Run) {
    this.#run = run;
    this.#id = RED.util.generateId();
  }

  add(content: Content): void {
    this.#send();
    this.#waiting = content;
  }

  /** The waiting message was the last. */
  end(): void {
    this.#send({ count: this.#sent + 1 });
  }

  /** Sends the waiting message without calling it the last. */
  breakOff(): void {
    this.#send();
  }

  #send(end: { count?: number } = {}): void {
    if (!this.#waiting) return;
    sendPart(this.#run, this.#waiting, { id: this.#id, index: this.#sent, ...end });
    this.#sent += 1;
    this.#waiting = undefined;
  }
}
