// Settings of threshold.
import { type ErrorText, errorText } from "../../src/errors";
import { decimalOf } from "../../src/settings/rules";
import { choice, number, type Settings, text } from "../../src/settings/table";
import { MAX_AGE, MINUTES, NAMED } from "../shared/settings";

/** Low must be below high. A missing limit is reported for its own field only. */
function limitsFault(low: unknown, high: unknown): ErrorText | undefined {
  return (decimalOf(low) ?? -Infinity) >= (decimalOf(high) ?? Infinity)
    ? errorText("limitsOrder")
    : undefined;
}

/** Equal limits leave a single plausible value, which is allowed. */
function plausibleFault(min: unknown, max: unknown): ErrorText | undefined {
  return (decimalOf(min) ?? -Infinity) > (decimalOf(max) ?? Infinity)
    ? errorText("plausibleOrder")
    : undefined;
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
    check: (high, others) => limitsFault(others("low"), high),
  }),
  low: number("threshold:label.low", {
    default: "",
    check: (low, others) => limitsFault(low, others("high")),
  }),
  hold: number("threshold:label.hold", MINUTES),
  /** 0 = off; empty = as the message says. */
  maxAge: { ...MAX_AGE.maxAge, min: 0 },
  /** 0 = off. */
  repeat: number("account:label.repeat", MINUTES),
  min: number("threshold:label.min", {
    default: "",
    mayBeEmpty: true,
    check: (min, others) => plausibleFault(min, others("max")),
  }),
  max: number("threshold:label.max", {
    default: "",
    mayBeEmpty: true,
    check: (max, others) => plausibleFault(others("min"), max),
  }),
} as const satisfies Settings;
