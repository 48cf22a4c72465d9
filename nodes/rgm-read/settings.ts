// Settings of rgm read.
import { choice, inUseUnless, inUseWhen, type Settings } from "../../src/settings/table";
import { RECORD_POLL } from "../shared/poll-settings";
import { READING, SCHEDULE } from "../shared/settings";

export const RGM_READ = {
  ...READING,
  mode: choice("rgm-read:label.mode", ["latest", "new", "range"]),
  // A range comes in a message, so it cannot be scheduled.
  ...inUseUnless({ mode: "range" }, SCHEDULE),
  ...inUseWhen({ mode: "new" }, RECORD_POLL),
} as const satisfies Settings;
