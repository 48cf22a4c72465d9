// Settings of alerts.
import { choice, inUseWhen, type Settings } from "../../src/settings/table";
import { CALLING, SCHEDULE, SITE } from "../shared/settings";

export const ALERTS = {
  ...CALLING,
  scope: choice("alerts:label.scope", ["account", "site"]),
  ...inUseWhen({ scope: "site" }, SITE),
  ...SCHEDULE,
  output: choice("account:label.output", ["list", "changes"]),
  ...inUseWhen({ output: "changes" }, { firstRun: choice("alerts:label.firstRun", ["all", "silent"]) }),
  severities: { kind: "names", default: [] },
  otherSeverities: { kind: "boolean", default: true },
} as const satisfies Settings;
