// Settings of rgm read.
import type { Settings } from "../../src/settings/setting";
import { NAMED, RECORD_POLL, SCHEDULE, SITE, SYSTEM, USES_ACCOUNT } from "../shared/settings";

/** A range comes in a message, so it cannot be scheduled. */
const RANGE = { mode: "range" } as const;

/** Limits settings to the mode for new records; the other modes hide them. */
function inNewMode<Table extends Settings>(settings: Table): Table {
  const entries = Object.entries(settings).map(([key, setting]) => [
    key,
    { ...setting, when: { ...setting.when, mode: "new" } },
  ]);
  return Object.fromEntries(entries) as Table;
}

export const RGM_READ = {
  ...NAMED,
  ...USES_ACCOUNT,
  ...SITE,
  ...SYSTEM,
  mode: {
    kind: "choice",
    label: "rgm-read:label.mode",
    choices: ["latest", "new", "range"],
    default: "latest",
  },
  repeat: { ...SCHEDULE.repeat, unless: RANGE },
  onDeploy: { ...SCHEDULE.onDeploy, unless: RANGE },
  ...inNewMode(RECORD_POLL),
} as const satisfies Settings;
