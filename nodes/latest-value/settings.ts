// Settings of latest value.
import { type Settings, text } from "../../src/settings/table";
import { INCLUDE_INVERTER, MAX_AGE, READING, SCHEDULE } from "../shared/settings";

export const LATEST_VALUE = {
  ...READING,
  path: text("latest-value:label.path", { trimmed: true }),
  ...MAX_AGE,
  ...INCLUDE_INVERTER,
  ...SCHEDULE,
} as const satisfies Settings;
