// Settings of rgm read.
import type { Settings } from "../setting";
import { RECORD_POLL } from "./record-poll";
import { CALLING, NAMED, SCHEDULE, SITE, SYSTEM } from "./shared";

/** Only a message says which range to read. */
const RANGE = { mode: "range" } as const;

/** Only a poll for new records has settings; their fields are hidden otherwise. */
function inNewMode<Table extends Settings>(settings: Table): Table {
  const entries = Object.entries(settings).map(([key, setting]) => [
    key,
    { ...setting, when: { ...setting.when, mode: "new" } },
  ]);
  return Object.fromEntries(entries) as Table;
}

export const RGM_READ = {
  ...NAMED,
  ...CALLING,
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
