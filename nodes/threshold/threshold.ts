// threshold: the value rose to high (output 1), fell to low (output 2), or is not safe to act on (output 3).
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import type { ThresholdReading, ThresholdRule } from "../../src/decisions/threshold";
import { THRESHOLD } from "./settings";
import type { SettingValues } from "../../src/settings/kinds";
import { MINUTE } from "../../src/time-units";
import { StoredState } from "../../src/stored-state";
import { startLifecycle } from "../shared/runtime/lifecycle/lifecycle";
import { type PropertyValue, propertyValue } from "../shared/runtime/base/property";
import { readSettings } from "../shared/runtime/base/settings";
import { fileStorage } from "../shared/runtime/state/storage";
import { Decisions } from "./decisions";
import { liveMessage, readingOf } from "../../src/messages/live-message";
import { DECISIONS_FORM } from "../../src/decisions/subject";

export default function register(RED: NodeAPI): void {
  function Threshold(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const settings = readSettings(RED, this, THRESHOLD, config);
    const { property, propertyType } = settings.values;
    const key = { property: `${propertyType}.${property}` };
    const stored = new StoredState(fileStorage(RED, this)(key, DECISIONS_FORM));
    const decisions = new Decisions(RED, this, {
      stored,
      rule: () => thresholdRule(settings.valid()),
      onTimer: () => lifecycle.run(decisions.onTimeout),
    });
    const lifecycle = startLifecycle(RED, this, {
      kind: "threshold",
      confirmsNothing: true,
      work: async (input) => {
        const { message, fault } = input;
        const live = liveMessage(message);
        if (!live && fault) throw fault;
        if (!live) return undefined;
        const valueOf = (from: NodeMessage): Promise<PropertyValue> =>
          propertyValue(RED, this, property, propertyType, from);
        const read = async (): Promise<ThresholdReading> => {
          if (fault) throw fault;
          return readingOf(live, valueOf, propertyType === "msg" ? property.split(".").at(-1) : "");
        };
        return decisions.handle(message, read, input);
      },
      // What cannot be read is not safe to act on.
      acceptsFaults: true,
      start: decisions.start,
      stop: decisions.stop,
      close: decisions.close,
    });
  }

  RED.nodes.registerType("energy-threshold", Threshold);
}

function thresholdRule({ hold, maxAge, repeat, ...limits }: SettingValues<typeof THRESHOLD>): ThresholdRule {
  const longest = maxAge === undefined ? undefined : maxAge * MINUTE;
  return { ...limits, hold: hold * MINUTE, maxAge: longest, repeat: repeat * MINUTE };
}
