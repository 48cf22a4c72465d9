// Settings of site list.
import { choice, type Settings } from "../../src/settings/table";
import { CALLING, SCHEDULE } from "../shared/settings";

export const SITE_LIST = {
  ...CALLING,
  output: choice("account:label.output", ["list", "sites", "systems"]),
  ...SCHEDULE,
} as const satisfies Settings;
