// The settings of a threshold node, and what they mean to a decision.
import type { NodeDef } from "node-red";
import type { ThresholdRule } from "../../src/decisions/threshold";
import { MINUTE } from "../../src/time-units";
import type { SettingValues, StoredSettings } from "../../src/settings/setting";
import type { THRESHOLD } from "./settings";

export type ThresholdDef = NodeDef & StoredSettings<typeof THRESHOLD>;

export type ThresholdSettings = SettingValues<typeof THRESHOLD>;

export function thresholdRule(settings: ThresholdSettings): ThresholdRule {
  const { high, low, hold, maxAge, repeat, min, max } = settings;
  return { high, low, min, max, hold: hold * MINUTE, maxAge: maxAge * MINUTE, repeat: repeat * MINUTE };
}
