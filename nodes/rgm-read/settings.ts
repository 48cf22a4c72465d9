// Settings of rgm read.
import { choice, inUseWhen, type Settings } from "../../src/settings/kinds";
import { RECORD_POLL } from "../shared/poll-settings";
import { NAMED, SCHEDULE, SITE, SYSTEM, USES_ACCOUNT } from "../shared/settings";

/** A range comes in a message, so it cannot be scheduled. */
const RANGE = { mode: "range" } as const;

export const RGM_READ = {
  ...NAMED,
  ...USES_ACCOUNT,
  ...SITE,
  ...SYSTEM,
  mode: choice("rgm-read:label.mode", ["latest", "new", "range"]),
  repeat: { ...SCHEDULE.repeat, unless: RANGE },
  onDeploy: { ...SCHEDULE.onDeploy, unless: RANGE },
  ...inUseWhen({ mode: "new" }, RECORD_POLL),
} as const satisfies Settings;
