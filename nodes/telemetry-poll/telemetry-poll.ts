// telemetry poll: every new record once and in order on output 1; the newest record, while fresh, on output 2.
import type { Node, NodeAPI } from "node-red";
import { settingValue } from "../../src/settings/read";
import type { StoredSettings } from "../../src/settings/setting";
import { TELEMETRY_POLL } from "./settings";
import type { RecordPollDef } from "../shared/runtime/records/poll-rule";
import { RecordPoll, replacedBy } from "../shared/runtime/records/record-poll";
import { samePoll } from "../shared/runtime/series/same-work";
import { startServiceNode } from "../shared/runtime/service/service-node";

type TelemetryPollDef = RecordPollDef & StoredSettings<typeof TELEMETRY_POLL>;

export default function register(RED: NodeAPI): void {
  function TelemetryPoll(this: Node, config: TelemetryPollDef): void {
    RED.nodes.createNode(this, config);
    const poll = new RecordPoll(RED, this, config, {
      source: "telemetry",
      includeInverter: settingValue(TELEMETRY_POLL.includeInverter, config.includeInverter),
      hasNewestOutput: true,
    });
    const lifecycle = startServiceNode(RED, this, config, {
      table: TELEMETRY_POLL,
      kind: "telemetry",
      ignored: replacedBy(config),
      work: poll.run,
      sameWork: (message) => samePoll(RED, config, message),
      intercept: (message) => poll.confirms(message, () => lifecycle.run(poll.resume)),
      stop: poll.stop,
      close: poll.close,
    });
  }

  RED.nodes.registerType("energy-telemetry-poll", TelemetryPoll);
}
