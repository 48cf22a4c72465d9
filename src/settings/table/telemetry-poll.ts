// Settings of telemetry poll.
import type { Settings } from "../setting";
import { RECORD_POLL } from "./record-poll";
import { USES_ACCOUNT, INCLUDE_INVERTER, NAMED, SCHEDULE, SITE, SYSTEM } from "./shared";

export const TELEMETRY_POLL = {
  ...NAMED,
  ...USES_ACCOUNT,
  ...SITE,
  ...SYSTEM,
  // The service has a new record every 5 minutes (service interface 4.4).
  repeat: { ...SCHEDULE.repeat, default: 5, absent: 0 },
  onDeploy: { ...SCHEDULE.onDeploy, default: true, absent: false },
  ...RECORD_POLL,
  ...INCLUDE_INVERTER,
} as const satisfies Settings;
