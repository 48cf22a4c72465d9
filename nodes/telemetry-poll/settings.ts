// Settings of telemetry poll.
import type { Settings } from "../../src/settings/table";
import { RECORD_POLL } from "../shared/poll-settings";
import { INCLUDE_INVERTER, READING, SCHEDULE } from "../shared/settings";

export const TELEMETRY_POLL = {
  ...READING,
  // The service has a new record every 5 minutes (service interface 4.4).
  repeat: { ...SCHEDULE.repeat, default: 5 },
  onDeploy: { ...SCHEDULE.onDeploy, default: true },
  ...RECORD_POLL,
  ...INCLUDE_INVERTER,
} as const satisfies Settings;
