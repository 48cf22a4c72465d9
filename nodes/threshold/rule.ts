// Reads the limits of a threshold node from its properties.
import type { NodeDef } from "node-red";
import type { ThresholdRule } from "../../src/decisions/threshold";
import { ConfigError } from "../../src/errors";
import { MINUTE } from "../../src/ledger/window";
import { numberSetting } from "../shared/runtime/settings";

export interface ThresholdDef extends NodeDef {
  property?: string;
  propertyType?: string;
  high?: number | string;
  low?: number | string;
  hold?: number | string;
  maxAge?: number | string;
}

/** Throws ConfigError for limits that are missing or in the wrong order. */
export function thresholdRule(config: ThresholdDef): ThresholdRule {
  const high = numberSetting(config.high, { label: "High" });
  const low = numberSetting(config.low, { label: "Low" });
  if (low >= high) throw new ConfigError("limitsOrder");
  const hold = numberSetting(config.hold, { label: "Hold (minutes)", fallback: 0, min: 0 });
  const maxAge = numberSetting(config.maxAge, { label: "Fresh for (minutes)", fallback: 15, min: 0 });
  return { high, low, hold: hold * MINUTE, maxAgeMinutes: maxAge };
}
