// threshold: a value rose to high (output 1), fell to low (output 2), or is not safe to decide by (output 3).
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import { ConfigError } from "../../src/errors";
import type { ThresholdReading, ThresholdRule } from "../../src/decisions/threshold";
import { StoredState } from "../../src/stored-state";
import { MINUTE } from "../../src/ledger/window";
import { startLifecycle } from "../shared/runtime/lifecycle";
import { propertyValue } from "../shared/runtime/property";
import { numberSetting } from "../shared/runtime/settings";
import { fileStorage } from "../shared/runtime/storage";
import { Decisions } from "./decisions";
import { liveMessage, numberOf, reasonOf, recordEnd } from "./incoming";
import { readDecisions } from "./stored-decisions";

interface ThresholdDef extends NodeDef {
  property?: string;
  propertyType?: string;
  high?: number | string;
  low?: number | string;
  hold?: number | string;
  maxAge?: number | string;
}

export default function register(RED: NodeAPI): void {
  function Threshold(this: Node, config: ThresholdDef): void {
    RED.nodes.createNode(this, config);
    const property = config.property?.trim() || "payload";
    const { propertyType = "msg" } = config;

    const readingOf = async (live: NodeMessage): Promise<ThresholdReading> => {
      const reason = reasonOf(live);
      const value = reason ? null : numberOf(await propertyValue(RED, this, property, propertyType, live));
      return { value, end: recordEnd(live), reason };
    };
    const key = { nodeId: this.id, property: `${propertyType}.${property}` };
    const kept = new StoredState(fileStorage(RED, this)(key, readDecisions));
    const decisions = new Decisions(
      RED,
      this,
      kept,
      () => thresholdRule(config),
      () => lifecycle.run(decisions.onTimeout),
    );

    const lifecycle = startLifecycle(RED, this, {
      kind: "threshold",
      work: async ({ message, send }) => {
        const live = liveMessage(message);
        if (live) await decisions.take(message, await readingOf(live), send);
        return undefined;
      },
      start: decisions.start,
      stop: decisions.stop,
      close: decisions.close,
    });
  }

  RED.nodes.registerType("energy-threshold", Threshold);
}

function thresholdRule(config: ThresholdDef): ThresholdRule {
  const high = numberSetting(config.high, { label: "High" });
  const low = numberSetting(config.low, { label: "Low" });
  if (low >= high) throw new ConfigError("limitsOrder");
  const hold = numberSetting(config.hold, { label: "Hold (minutes)", fallback: 0, min: 0 });
  const maxAge = numberSetting(config.maxAge, { label: "Fresh for (minutes)", fallback: 15, min: 0 });
  return { high, low, hold: hold * MINUTE, maxAgeMinutes: maxAge };
}
