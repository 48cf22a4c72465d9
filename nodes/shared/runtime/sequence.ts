// Sends several messages as a sequence that a core join node puts together again.
import type { NodeAPI } from "node-red";
import type { Content } from "./message";
import type { Run } from "./runs";

/** Sets `msg.parts` as the core split node does for an array; parts that were there go on inside. */
export function sendSequence(RED: NodeAPI, run: Run, contents: Content[]): void {
  const id = RED.util.generateId();
  const count = contents.length;
  contents.forEach((content, index) => {
    const message = run.make(content);
    const outer = message.parts === undefined ? {} : { parts: message.parts };
    message.parts = { ...outer, id, type: "array", count, len: 1, index };
    run.send(message);
  });
}
