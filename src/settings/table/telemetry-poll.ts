// Settings of telemetry poll.
import type { Settings } from "../setting";
import { RECORD_POLL } from "./record-poll";
import { CALLING, INCLUDE_INVERTER, NAMED, SCHEDULE, SITE, SYSTEM } from "./shared";

export const TELEMETRY_POLL = {
  ...NAMED,
  ...CALLING,
  ...SITE,
  ...SYSTEM,
  // Records come every 5 minutes (service interface 4.4): a new poll keeps up with them.
  repeat: { ...SCHEDULE.repeat, default: 5, absent: 0 },
  onDeploy: { ...SCHEDULE.onDeploy, default: true, absent: false },
  ...RECORD_POLL,
  ...INCLUDE_INVERTER,
} as const satisfies Settings;
