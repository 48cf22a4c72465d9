// Settings of site list.
import type { Settings } from "../../src/settings/kinds";
import { USES_ACCOUNT, NAMED, SCHEDULE } from "../shared/settings";

export const SITE_LIST = {
  ...NAMED,
  ...USES_ACCOUNT,
  output: {
    kind: "choice",
    label: "site-list:label.output",
    choices: ["list", "sites", "systems"],
    default: "list",
  },
  ...SCHEDULE,
} as const satisfies Settings;
