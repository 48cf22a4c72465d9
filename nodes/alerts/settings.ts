// Settings of alerts.
import { choice, inUseWhen, type Settings } from "../../src/settings/kinds";
import { NAMED, SCHEDULE, SITE, USES_ACCOUNT } from "../shared/settings";

export const ALERTS = {
  ...NAMED,
  ...USES_ACCOUNT,
  scope: choice("alerts:label.scope", ["account", "site"]),
  ...inUseWhen({ scope: "site" }, SITE),
  ...SCHEDULE,
  output: choice("alerts:label.output", ["list", "changes"]),
  ...inUseWhen({ output: "changes" }, { firstRun: choice("alerts:label.firstRun", ["all", "silent"]) }),
  severities: { kind: "names", default: [] },
  otherSeverities: { kind: "boolean", default: true },
} as const satisfies Settings;
