// A node for the benchmark flows: sends work to the flow, counts the returned records, and measures the run.
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import { startWatch, type Sample } from "./work";

/** Each message is sent once all records of the previous one have come back. */
export interface CounterJob {
  messages: NodeMessage[];
  recordsPerMessage: number;
}

export default function register(RED: NodeAPI): void {
  let run: (job: CounterJob) => Promise<Sample> = () => Promise.reject(new Error("no counter in the flow"));

  function Counter(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    let count = 0;
    let awaited = 0;
    let onAwaited = (): void => undefined;

    run = ({ messages, recordsPerMessage }) =>
      new Promise((resolve) => {
        const stop = startWatch();
        const next = (): void => {
          const message = messages.shift();
          if (!message) return resolve(stop(count));
          awaited += recordsPerMessage;
          this.send(message);
        };
        count = 0;
        awaited = 0;
        onAwaited = next;
        next();
      });

    this.on("input", (_message, _send, done) => {
      count += 1;
      done();
      if (count === awaited) onAwaited();
    });
  }

  RED.nodes.registerType("bench-counter", Counter);

  RED.httpAdmin.post("/bench/run", (request, response) => {
    void run(request.body as CounterJob).then((sample) => response.json(sample));
  });
}
