// Settings of points.
import type { Settings } from "../../src/settings/kinds";
import { NAMED } from "../shared/settings";

export const POINTS = {
  ...NAMED,
  target: {
    kind: "choice",
    label: "points:label.target",
    choices: ["influxdb", "chart"],
    default: "influxdb",
  },
  measurement: {
    kind: "text",
    label: "points:label.measurement",
    default: "energy",
    trimmed: true,
    mayBeEmpty: true,
    variables: true,
    when: { target: "influxdb" },
  },
} as const satisfies Settings;
