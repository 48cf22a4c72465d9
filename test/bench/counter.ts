// A node for the benchmark flows: sends work to the flow, counts the returned records, and measures the run.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import { startWatch, type Sample } from "./work";

export interface CounterJob {
  messages: NodeMessage[];
  recordsPerMessage: number;
  /** How many messages are in the flow at a time: the next is sent once all records of an earlier one have come back. */
  inFlow: number;
}

export default function register(RED: NodeAPI): void {
  let run: (job: CounterJob) => Promise<Sample> = () => Promise.reject(new Error("no counter in the flow"));

  function Counter(this: Node, config: NodeDef & { outputs?: number }): void {
    RED.nodes.createNode(this, config);
    const { outputs = 1 } = config;
    let onRecord: (message: NodeMessage) => void = () => undefined;

    run = ({ messages, recordsPerMessage, inFlow }) =>
      new Promise((resolve) => {
        const stop = startWatch();
        /** How many records of the message in each lane have not come back. Records carry the number of their lane. */
        const left: number[] = [];
        let [count, open] = [0, 0];
        const next = (lane: number): void => {
          const message = messages.shift();
          if (!message) {
            if (open === 0) resolve(stop(count));
            return;
          }
          open += 1;
          left[lane] = recordsPerMessage;
          message["lane"] = lane;
          const sent: NodeMessage[] = [];
          sent[lane % outputs] = message;
          this.send(sent);
        };
        onRecord = ({ lane }: NodeMessage & { lane?: number }) => {
          if (lane === undefined) return;
          count += 1;
          const more = (left[lane] ?? 0) - 1;
          left[lane] = more;
          if (more > 0) return;
          open -= 1;
          next(lane);
        };
        for (let lane = 0; lane < inFlow; lane += 1) next(lane);
      });

    this.on("input", (message, _send, done) => {
      onRecord(message);
      done();
    });
  }

  RED.nodes.registerType("bench-counter", Counter);

  RED.httpAdmin.post("/bench/run", (request, response) => {
    void run(request.body as CounterJob).then((sample) => response.json(sample));
  });

  // Resident memory in MiB after a garbage collection.
  RED.httpAdmin.post("/bench/memory", (_request, response) => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    collect();
    response.json(process.memoryUsage.rss() / 2 ** 20);
  });
}
