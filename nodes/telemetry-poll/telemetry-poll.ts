// telemetry poll: every new record once and in order on output 1; the newest record, while fresh, on output 2.
import type { Node, NodeAPI, NodeDef } from "node-red";
import { TELEMETRY_POLL } from "./settings";
import { pollInput, RecordPoll } from "../shared/runtime/records/record-poll";
import { startServiceNode } from "../shared/runtime/service/service-node";
import { readSettings } from "../shared/runtime/base/settings";

export default function register(RED: NodeAPI): void {
  function TelemetryPoll(this: Node, config: NodeDef): void {
    RED.nodes.createNode(this, config);
    const settings = readSettings(RED, this, TELEMETRY_POLL, config);
    const { values } = settings;
    const poll = new RecordPoll(RED, this, settings, {
      source: "telemetry",
      includeInverter: values.includeInverter,
    });
    const lifecycle = startServiceNode(RED, this, {
      settings,
      kind: "telemetry",
      ...pollInput(RED, values),
      work: poll.run,
      intercept: (message) => poll.confirms(message, () => lifecycle.run(poll.resume)),
      stop: poll.stop,
      close: poll.close,
    });
  }

  RED.nodes.registerType("energy-telemetry-poll", TelemetryPoll);
}
