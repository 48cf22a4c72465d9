// Settings of latest value.
import type { Settings } from "../../src/settings/kinds";
import { USES_ACCOUNT, INCLUDE_INVERTER, MAX_AGE, NAMED, SCHEDULE, SITE, SYSTEM } from "../shared/settings";

export const LATEST_VALUE = {
  ...NAMED,
  ...USES_ACCOUNT,
  ...SITE,
  ...SYSTEM,
  path: { kind: "text", label: "latest-value:label.path", default: "", trimmed: true },
  ...MAX_AGE,
  ...INCLUDE_INVERTER,
  ...SCHEDULE,
} as const satisfies Settings;
