// Settings of threshold.
import { numberOf } from "../number";
import type { Fault, Settings } from "../setting";
import { emptyFault } from "../text";
import { MAX_AGE, NAMED, WEEK_IN_MINUTES } from "./shared";

/** Low must be below high. A missing limit is reported for its own field only. */
function limitsFault(low: number | undefined, high: number | undefined): Fault | undefined {
  return low !== undefined && high !== undefined && low >= high ? ["limitsOrder"] : undefined;
}

export const THRESHOLD = {
  ...NAMED,
  property: {
    kind: "text",
    label: "threshold:label.property",
    default: "payload",
    trimmed: true,
    check: emptyFault,
  },
  propertyType: {
    kind: "choice",
    label: "threshold:label.property",
    choices: ["msg", "flow", "global", "env", "jsonata"],
    default: "msg",
  },
  high: {
    kind: "number",
    label: "threshold:label.high",
    default: "",
    check: (high, others) => limitsFault(numberOf(others("low")), high),
  },
  low: {
    kind: "number",
    label: "threshold:label.low",
    default: "",
    check: (low, others) => limitsFault(low, numberOf(others("high"))),
  },
  hold: {
    kind: "number",
    label: "threshold:label.hold",
    unit: "minutes",
    default: 0,
    min: 0,
    max: WEEK_IN_MINUTES,
  },
  /** 0 = off. */
  maxAge: { ...MAX_AGE.maxAge, min: 0 },
} as const satisfies Settings;
