// Answers every message that a run serves with a message of its own, based on that message.
import type { NodeAPI } from "node-red";
import { inTurns } from "../../../../src/loop-turns";
import type { Input } from "../lifecycle/lifecycle";
import { type Content, type MessageMaker, messageMaker, type SequencePart } from "../base/message";

export type Replies = ReturnType<typeof repliesOf>;

/** Each reply is sent once for every message that the run serves; without a message, once. */
export function repliesOf(
  RED: NodeAPI,
  { triggers, message, send, signal }: Input,
  taken: readonly string[],
) {
  const served: Input["triggers"] = triggers.length > 0 ? triggers : [{ message, send }];
  const last = served.at(-1);
  const makerFor = (trigger: (typeof served)[number]): MessageMaker => {
    const make = messageMaker(RED, trigger.message, taken);
    // The flow may modify what it receives, so only the last reply gets the content itself.
    return trigger === last ? make : (content, part) => make(structuredClone(content), part);
  };
  return {
    /** Outputs count from 1. */
    reply: (content: Content, port: 1 | 2 = 1) =>
      inTurns(served, (trigger) => {
        if (signal.aborted) return;
        const made = makerFor(trigger)(content);
        trigger.send(port === 1 ? made : [null, made]);
      }),
    /** Sends messages as a sequence that a core join node can combine. */
    replySequence: async (contents: readonly Content[]) => {
      const count = contents.length;
      for (const trigger of served) {
        const make = makerFor(trigger);
        const id = RED.util.generateId();
        const answer = ([index, content]: [number, Content]): void =>
          trigger.send(make(content, { id, index, count, type: "array", len: 1 }));
        await inTurns(contents.entries(), answer, signal);
      }
    },
  };
}

/** A sequence of unknown length: each message is held until the next arrives, so that the last one carries the count. */
export class OpenSequence {
  readonly #id: string;
  readonly #sendOn: (content: Content, part: SequencePart) => void;
  #pending: Content | undefined;
  #sent = 0;

  constructor(RED: NodeAPI, { make, send }: Pick<Input, "send"> & { make: MessageMaker }) {
    this.#sendOn = (content, part) => send(make(content, part));
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
    this.#sendOn(this.#pending, part);
    this.#sent += 1;
    this.#pending = undefined;
  }
}
