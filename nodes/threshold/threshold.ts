// threshold: a value rose to high (output 1), fell to low (output 2), or is not safe to decide on (output 3).
import type { Node, NodeAPI } from "node-red";
import { startHandling } from "../shared/runtime/handling";
import { KeptState } from "../shared/runtime/kept-state";
import { propertyValue } from "../shared/runtime/property";
import { fileStore } from "../shared/runtime/state-store";
import { Decisions } from "./decisions";
import { liveMessage, readingOf } from "./live-message";
import { type ThresholdDef, thresholdRule } from "./rule";
import { readDecisions } from "./stored-decisions";

export default function register(RED: NodeAPI): void {
  function Threshold(this: Node, config: ThresholdDef): void {
    RED.nodes.createNode(this, config);
    const property = config.property?.trim() || "payload";
    const { propertyType = "msg" } = config;
    const key = { nodeId: this.id, property: `${propertyType}.${property}` };
    const stored = new KeptState(fileStore(RED, this), key, readDecisions);
    const decisions = new Decisions(RED, this, stored, () => thresholdRule(config));
    startHandling(
      RED,
      this,
      "threshold",
      async (message, send) => {
        const live = liveMessage(message);
        if (!live) return undefined;
        const reading = await readingOf(live, (from) =>
          propertyValue(RED, this, property, propertyType, from),
        );
        return decisions.handle(message, reading, send);
      },
      decisions,
    );
  }

  RED.nodes.registerType("energy-threshold", Threshold);
}
