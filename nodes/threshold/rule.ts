// Reads the settings of a threshold node.
import type { Node, NodeAPI, NodeDef } from "node-red";
import type { ThresholdRule } from "../../src/decisions/threshold";
import { MINUTE } from "../../src/time-units";
import type { StoredSettings } from "../../src/settings/setting";
import { THRESHOLD } from "../../src/settings/table/threshold";
import { readSettings } from "../shared/runtime/settings";

export type ThresholdDef = NodeDef & StoredSettings<typeof THRESHOLD>;

/** Throws ConfigError. */
export function thresholdRule(RED: NodeAPI, node: Node, config: ThresholdDef): ThresholdRule {
  const { high, low, hold, maxAge } = readSettings(RED, node, THRESHOLD, config);
  return { high, low, hold: hold * MINUTE, maxAgeMinutes: maxAge };
}
