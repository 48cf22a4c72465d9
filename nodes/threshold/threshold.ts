// threshold: the value rose to high (output 1), fell to low (output 2), or is not safe to act on (output 3).
import type { Node, NodeAPI, NodeDef, NodeMessage } from "node-red";
import type { ThresholdReading, ThresholdRule } from "../../src/decisions/threshold";
import { THRESHOLD } from "./settings";
import type { SettingValues } from "../../src/settings/table";
import { MINUTE } from "../../src/time-units";
import { StoredState } from "../../src/stored-state";
import { adminRoute } from "../shared/runtime/admin/admin-route";
import { type Input, startLifecycle } from "../shared/runtime/lifecycle/lifecycle";
import { type PropertyValue, propertyValue } from "../shared/runtime/base/property";
import { readSettings } from "../shared/runtime/base/settings";
import type { StatusText } from "../shared/runtime/base/status";
import { afterStart } from "../shared/runtime/lifecycle/schedule";
import { fileStorage } from "../shared/runtime/state/storage";
import { Decisions } from "./decisions";
import { liveMessage, readingOf } from "../../src/messages/live-message";
import { DECISIONS_FORM } from "../../src/decisions/subject";

/** How many last values a dialog has room for. */
const MAX_VALUES = 20;

export default function register(RED: NodeAPI): void {
  const running = new Map<string, Decisions>();
  /** The records of nodes that a deploy has closed: what they decide on now may be another value of them. */
  const lastRecords = new Map<string, NodeMessage[]>();
  // For the dialog, which shows where the last values are between the limits.
  adminRoute(RED, {
    method: "get",
    path: "energy-sites/thresholds/:id/values",
    permission: "energy-account.read",
    handle: async ({ params: { id = "" } }) => ({
      values: running.get(id)?.values.slice(0, MAX_VALUES) ?? [],
    }),
  });

  function Threshold(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const settings = readSettings(RED, this, THRESHOLD, config);
    const { property, propertyType } = settings.values;
    const key = { property: `${propertyType}.${property}` };
    const stored = new StoredState(fileStorage(RED, this)(key, DECISIONS_FORM));
    const valueOf = (from: NodeMessage): Promise<PropertyValue> =>
      propertyValue(RED, this, property, propertyType, from);
    let cancelAgain: (() => void) | undefined;
    const decisions = new Decisions(RED, this, {
      stored,
      rule: () => thresholdRule(settings.valid()),
      onTimer: () => run(decisions.onTimeout),
    });
    const run = startLifecycle(RED, this, {
      kind: "threshold",
      confirmsNothing: true,
      work: (input) => judge(input.message, input),
      // What cannot be read is not safe to act on.
      acceptsFaults: true,
      start: async () => {
        running.set(this.id, decisions);
        const records = lastRecords.get(this.id) ?? [];
        lastRecords.delete(this.id);
        // A record that was decided on is ignored.
        if (records.length > 0)
          cancelAgain = afterStart(() => {
            for (const record of records) run((input) => judge(record, input));
          });
        await decisions.start();
      },
      stop: (isRemoved) => {
        running.delete(this.id);
        cancelAgain?.();
        if (!isRemoved) lastRecords.set(this.id, decisions.records());
        decisions.stop();
      },
      close: decisions.close,
    });

    async function judge(message: NodeMessage, input: Input): Promise<StatusText | undefined> {
      const { fault } = input;
      const live = liveMessage(message);
      if (!live && fault) throw fault;
      if (!live) return undefined;
      const read = async (): Promise<ThresholdReading> => {
        if (fault) throw fault;
        return readingOf(live, valueOf, property);
      };
      return decisions.handle(message, live, read, input);
    }
  }

  RED.nodes.registerType("energy-threshold", Threshold);
}

function thresholdRule({ hold, maxAge, repeat, ...limits }: SettingValues<typeof THRESHOLD>): ThresholdRule {
  const longest = maxAge === undefined ? undefined : maxAge * MINUTE;
  return { ...limits, hold: hold * MINUTE, maxAge: longest, repeat: repeat * MINUTE };
}
