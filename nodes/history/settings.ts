// Settings of history.
import { firstDayFault, lastDayFault } from "../../src/settings/day";
import type { Settings } from "../../src/settings/setting";
import { USES_ACCOUNT, INCLUDE_INVERTER, NAMED, RECORD_OUTPUT, SITE, SYSTEM } from "../shared/settings";

/** A local day of the site, YYYY-MM-DD. */
const DAY_OF_SITE = {
  kind: "text",
  default: "",
  trimmed: true,
  variables: true,
  when: { range: "days" },
} as const;

export const HISTORY = {
  ...NAMED,
  ...USES_ACCOUNT,
  ...SITE,
  ...SYSTEM,
  source: {
    kind: "choice",
    label: "history:label.source",
    choices: ["telemetry", "rgm"],
    default: "telemetry",
  },
  // In an older flow without this setting, the payload says what to read.
  range: {
    kind: "choice",
    label: "history:label.range",
    choices: ["last24Hours", "yesterday", "lastMonth", "days", "message"],
    default: "last24Hours",
    absent: "message",
  },
  from: { ...DAY_OF_SITE, label: "history:label.from", check: firstDayFault },
  to: { ...DAY_OF_SITE, label: "history:label.to", check: lastDayFault },
  ...RECORD_OUTPUT,
  includeInverter: { ...INCLUDE_INVERTER.includeInverter, when: { source: "telemetry" } },
} as const satisfies Settings;
