// Settings of threshold.
import { type ErrorText, errorText } from "../../src/errors";
import { decimalOf } from "../../src/settings/rules";
import { choice, number, type Settings, text } from "../../src/settings/table";
import { MAX_AGE, MINUTES, NAMED } from "../shared/settings";

/** The first must be below the second. One that is missing is reported for its own field only. */
function orderFault(
  key: "limitsOrder" | "plausibleOrder",
  low: unknown,
  high: unknown,
): ErrorText | undefined {
  const room = (decimalOf(high) ?? Infinity) - (decimalOf(low) ?? -Infinity);
  // Equal bounds leave a single plausible value, which is allowed.
  return room < 0 || (room === 0 && key === "limitsOrder") ? errorText(key) : undefined;
}

export const THRESHOLD = {
  ...NAMED,
  property: text("threshold:label.property", {
    default: "payload",
    trimmed: true,
    check: (property, label) => (property === "" ? errorText("settingEmpty", { label }) : undefined),
  }),
  propertyType: choice("threshold:label.property", ["msg", "flow", "global", "env", "jsonata"]),
  high: number("threshold:label.high", {
    default: "",
    check: (high, others) => orderFault("limitsOrder", others("low"), high),
  }),
  low: number("threshold:label.low", {
    default: "",
    check: (low, others) => orderFault("limitsOrder", low, others("high")),
  }),
  hold: number("threshold:label.hold", MINUTES),
  /** 0 = off; empty = as the message says. */
  maxAge: { ...MAX_AGE.maxAge, min: 0 },
  /** 0 = off. */
  repeat: number("account:label.repeat", MINUTES),
  min: number("threshold:label.min", {
    default: "",
    mayBeEmpty: true,
    check: (min, others) => orderFault("plausibleOrder", min, others("max")),
  }),
  max: number("threshold:label.max", {
    default: "",
    mayBeEmpty: true,
    check: (max, others) => orderFault("plausibleOrder", others("min"), max),
  }),
} as const satisfies Settings;
