// Settings of statistics.
import { errorText } from "../../src/errors";
import { type Settings, text } from "../../src/settings/table";
import { NAMED } from "../shared/settings";

export const STATISTICS = {
  ...NAMED,
  prefix: text("statistics:label.prefix", {
    default: "energy_sites",
    trimmed: true,
    mayBeEmpty: true,
    // Home Assistant's source: databases keep 32 characters of it.
    check: (prefix, label) =>
      prefix.length <= 32 && /^[a-z\d]+(?:_[a-z\d]+)*$/.test(prefix)
        ? undefined
        : errorText("settingPrefix", { label }),
  }),
  costs: { kind: "boolean", default: true },
  dashboard: { kind: "boolean", default: false },
} as const satisfies Settings;
