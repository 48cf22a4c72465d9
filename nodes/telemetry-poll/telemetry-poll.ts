// telemetry poll: every new record once and in order on output 1; the newest, while it is fresh, on output 2.
import type { Node, NodeAPI } from "node-red";
import { SERIES } from "../../src/messages/series";
import { type RecordPollDef, RecordPoll } from "../shared/runtime/record-poll";
import { recordQuery } from "../shared/runtime/record-query";
import { startRuns } from "../shared/runtime/runs";

interface TelemetryPollDef extends RecordPollDef {
  includeInverter?: boolean;
}

export default function register(RED: NodeAPI): void {
  function TelemetryPoll(this: Node, config: TelemetryPollDef): void {
    RED.nodes.createNode(this, config);
    const includeInverter = config.includeInverter === true;
    const poll = new RecordPoll(RED, this, config, {
      source: "telemetry",
      pc1: SERIES.telemetry.needsPc1,
      hasNewestOutput: true,
      read: async ({ service, signal }, address, window) =>
        SERIES.telemetry.read(
          await service(),
          { ...recordQuery(address, window), includeInverter },
          { signal },
        ),
      energy: SERIES.telemetry.energy,
    });
    startRuns(RED, this, config, SERIES.telemetry.kind, poll.run, poll);
  }

  RED.nodes.registerType("energy-telemetry-poll", TelemetryPoll);
}
