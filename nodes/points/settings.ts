// Settings of points.
import { choice, inUseWhen, type Settings, text } from "../../src/settings/table";
import { NAMED } from "../shared/settings";

const MEASUREMENT = {
  measurement: text("points:label.measurement", {
    default: "energy",
    trimmed: true,
    mayBeEmpty: true,
    variables: true,
  }),
};

export const POINTS = {
  ...NAMED,
  target: choice("points:label.target", ["influxdb", "line", "row", "chart"]),
  ...inUseWhen({ target: ["influxdb", "line"] }, MEASUREMENT),
} as const satisfies Settings;
