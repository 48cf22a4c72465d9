// Settings of latest value.
import { type Settings, text } from "../../src/settings/kinds";
import { USES_ACCOUNT, INCLUDE_INVERTER, MAX_AGE, NAMED, SCHEDULE, SITE, SYSTEM } from "../shared/settings";

export const LATEST_VALUE = {
  ...NAMED,
  ...USES_ACCOUNT,
  ...SITE,
  ...SYSTEM,
  path: text("latest-value:label.path", { trimmed: true }),
  ...MAX_AGE,
  ...INCLUDE_INVERTER,
  ...SCHEDULE,
} as const satisfies Settings;
