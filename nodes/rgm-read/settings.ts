// Settings of rgm read.
import { inUseWhen, type Settings } from "../../src/settings/kinds";
import { NAMED, RECORD_POLL, SCHEDULE, SITE, SYSTEM, USES_ACCOUNT } from "../shared/settings";

/** A range comes in a message, so it cannot be scheduled. */
const RANGE = { mode: "range" } as const;

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
  ...inUseWhen({ mode: "new" }, RECORD_POLL),
} as const satisfies Settings;
