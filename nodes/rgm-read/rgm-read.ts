// rgm read: records of the revenue-grade meter: the latest, every new one, or those of a range.
import type { Node, NodeAPI } from "node-red";
import type { RecordPollDef } from "../shared/runtime/poll-rule";
import { RecordPoll } from "../shared/runtime/record-poll";
import { startServiceNode } from "../shared/runtime/service-node";
import { readLatest, readRange } from "./meter";

interface RgmReadDef extends RecordPollDef {
  mode?: "latest" | "new" | "range";
}

export default function register(RED: NodeAPI): void {
  function RgmRead(this: Node, config: RgmReadDef): void {
    RED.nodes.createNode(this, config);
    const poll = new RecordPoll(RED, this, config, {
      source: "rgm",
      hasNewestOutput: false,
    });
    const isPoll = config.mode === "new";
    const lifecycle = startServiceNode(RED, this, config, {
      kind: "rgm",
      work: (run) => {
        if (isPoll) return poll.run(run);
        return config.mode === "range"
          ? readRange(RED, this, config, run)
          : readLatest(RED, this, config, run);
      },
      intercept: (message) => isPoll && poll.confirms(message, () => lifecycle.run()),
      // Only a message says which range.
      isScheduled: config.mode !== "range",
      stop: poll.stop,
      close: poll.close,
    });
  }

  RED.nodes.registerType("energy-rgm-read", RgmRead);
}
