// Settings of latest value.
import type { Settings } from "../setting";
import { CALLING, INCLUDE_INVERTER, MAX_AGE, NAMED, SCHEDULE, SITE, SYSTEM } from "./shared";

export const LATEST_VALUE = {
  ...NAMED,
  ...CALLING,
  ...SITE,
  ...SYSTEM,
  path: { kind: "text", label: "latest-value:label.path", default: "", trimmed: true },
  ...MAX_AGE,
  ...INCLUDE_INVERTER,
  ...SCHEDULE,
} as const satisfies Settings;
