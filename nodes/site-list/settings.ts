// Settings of site list.
import { choice, type Settings } from "../../src/settings/kinds";
import { USES_ACCOUNT, NAMED, SCHEDULE } from "../shared/settings";

export const SITE_LIST = {
  ...NAMED,
  ...USES_ACCOUNT,
  output: choice("site-list:label.output", ["list", "sites", "systems"]),
  ...SCHEDULE,
} as const satisfies Settings;
