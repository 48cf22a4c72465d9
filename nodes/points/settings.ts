// Settings of points.
import { choice, inUseWhen, type Settings, text } from "../../src/settings/table";
import { NAMED } from "../shared/settings";

const MEASUREMENT = { default: "energy", trimmed: true, mayBeEmpty: true, variables: true } as const;

export const POINTS = {
  ...NAMED,
  target: choice("points:label.target", ["influxdb", "line", "row", "chart"]),
  ...inUseWhen(
    { target: ["influxdb", "line"] },
    { measurement: text("points:label.measurement", MEASUREMENT) },
  ),
} as const satisfies Settings;
