// Settings of telemetry poll.
import type { Settings } from "../../src/settings/setting";
import {
  INCLUDE_INVERTER,
  NAMED,
  RECORD_POLL,
  SCHEDULE,
  SITE,
  SYSTEM,
  USES_ACCOUNT,
} from "../shared/settings";

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
