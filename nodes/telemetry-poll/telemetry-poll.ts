// telemetry poll: every new record once and in order on output 1; the newest record, while fresh, on output 2.
import { TELEMETRY_POLL } from "./settings";
import { RecordPoll } from "../shared/runtime/records/record-poll";
import { serviceNode } from "../shared/runtime/service/service-node";
import { readSettings } from "../shared/runtime/base/settings";

export default serviceNode("energy-telemetry-poll", (RED, node, config) => {
  const settings = readSettings(RED, node, TELEMETRY_POLL, config);
  const { includeInverter } = settings.values;
  return new RecordPoll(RED, node, settings, { source: "telemetry", includeInverter }).nodeOptions;
});
