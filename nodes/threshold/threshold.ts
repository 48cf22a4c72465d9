// threshold: a value rose to high (output 1), fell to low (output 2), or is not safe to decide by (output 3).
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import type { ThresholdReading, ThresholdRule } from "../../src/decisions/threshold";
import { MINUTE } from "../../src/ledger/window";
import { settingValue } from "../../src/settings/read";
import type { StoredSettings } from "../../src/settings/setting";
import { THRESHOLD } from "../../src/settings/table/threshold";
import { startHandling } from "../shared/runtime/handling";
import { KeptState } from "../shared/runtime/kept-state";
import { propertyValue } from "../shared/runtime/property";
import { readSettings } from "../shared/runtime/settings";
import { fileStore } from "../shared/runtime/state-store";
import { Decisions } from "./decisions";
import { liveMessage, numberOf, reasonOf, recordEnd } from "./incoming";
import { readDecisions } from "./stored-decisions";

type ThresholdDef = NodeDef & StoredSettings<typeof THRESHOLD>;

export default function register(RED: NodeAPI): void {
  function Threshold(this: Node, config: ThresholdDef): void {
    RED.nodes.createNode(this, config);

    const readingOf = async (live: NodeMessage): Promise<ThresholdReading> => {
      const reason = reasonOf(live);
      const { property, propertyType } = readSettings(RED, this, THRESHOLD, config);
      const value = reason ? null : numberOf(await propertyValue(RED, this, property, propertyType, live));
      return { value, end: recordEnd(live), reason };
    };
    const property = settingValue(THRESHOLD.property, config.property);
    const propertyType = settingValue(THRESHOLD.propertyType, config.propertyType);
    const key = { nodeId: this.id, property: `${propertyType}.${property}` };
    const kept = new KeptState(fileStore(RED, this), key, readDecisions);
    const decisions = new Decisions(RED, this, kept, () => thresholdRule(RED, this, config));

    startHandling(
      RED,
      this,
      "threshold",
      async (message, send) => {
        const live = liveMessage(message);
        if (live) await decisions.take(message, await readingOf(live), send);
        return undefined;
      },
      decisions,
    );
  }

  RED.nodes.registerType("energy-threshold", Threshold);
}

/** Throws ConfigError. */
function thresholdRule(RED: NodeAPI, node: Node, config: ThresholdDef): ThresholdRule {
  const { high, low, hold, maxAge } = readSettings(RED, node, THRESHOLD, config);
  return { high, low, hold: hold * MINUTE, maxAgeMinutes: maxAge };
}
