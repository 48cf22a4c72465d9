// Settings of history.
import type { Settings } from "../setting";
import { USES_ACCOUNT, INCLUDE_INVERTER, NAMED, RECORD_OUTPUT, SITE, SYSTEM } from "./shared";

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
  ...RECORD_OUTPUT,
  includeInverter: { ...INCLUDE_INVERTER.includeInverter, when: { source: "telemetry" } },
} as const satisfies Settings;
