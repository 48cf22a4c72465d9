// telemetry poll: every new record once and in order on output 1; the newest record, while fresh, on output 2.
import { TELEMETRY_POLL } from "./settings";
import { RecordPoll } from "../shared/runtime/records/record-poll";
import { serviceNode } from "../shared/runtime/service/service-node";

export default serviceNode("energy-telemetry-poll", TELEMETRY_POLL, (RED, node, settings) => {
  const { includeInverter } = settings.values;
  return new RecordPoll(RED, node, settings, { source: "telemetry", includeInverter }).nodeOptions;
});
