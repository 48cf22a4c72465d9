// Settings of alerts.
import { inUseWhen, type Settings } from "../../src/settings/kinds";
import { NAMED, SCHEDULE, SITE, USES_ACCOUNT } from "../shared/settings";

export const ALERTS = {
  ...NAMED,
  ...USES_ACCOUNT,
  scope: { kind: "choice", label: "alerts:label.scope", choices: ["account", "site"], default: "account" },
  ...inUseWhen({ scope: "site" }, SITE),
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
