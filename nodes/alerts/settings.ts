// Settings of alerts.
import type { Settings } from "../../src/settings/setting";
import { USES_ACCOUNT, NAMED, SCHEDULE, SITE } from "../shared/settings";

export const ALERTS = {
  ...NAMED,
  ...USES_ACCOUNT,
  scope: { kind: "choice", label: "alerts:label.scope", choices: ["account", "site"], default: "account" },
  siteId: { ...SITE.siteId, when: { scope: "site" } },
  siteIdType: { ...SITE.siteIdType, when: { scope: "site" } },
  ...SCHEDULE,
  output: { kind: "choice", label: "alerts:label.output", choices: ["list", "changes"], default: "list" },
  firstRun: {
    kind: "choice",
    label: "alerts:label.firstRun",
    choices: ["all", "silent"],
    default: "all",
    when: { output: "changes" },
  },
  severities: { kind: "names", default: [] },
  otherSeverities: { kind: "boolean", default: true },
} as const satisfies Settings;
