// How a wrong clock of this machine is described, in the log and in the status.
import { type ErrorText, errorText } from "../../../src/errors";
import { MINUTE } from "../../../src/time-units";
import type { StatusText } from "./status";

const UNITS = [
  { name: "d", minutes: 24 * 60 },
  { name: "h", minutes: 60 },
  { name: "min", minutes: 1 },
] as const;

/** @param correction service time minus local time, in milliseconds */
export function correctionText(correction: number): ErrorText {
  const values = { duration: durationText(correction) };
  return correction > 0 ? errorText("clockBehind", values) : errorText("clockAhead", values);
}

/** @param correction service time minus local time, in milliseconds */
export function correctionStatus(correction: number): StatusText {
  const values = { duration: durationText(correction) };
  return { key: correction > 0 ? "clockBehind" : "clockAhead", values, fill: "yellow", shape: "ring" };
}

/** Two units at most, such as `3 h 12 min`: these abbreviations are the same in all languages of the package. */
function durationText(milliseconds: number): string {
  const minutes = Math.round(Math.abs(milliseconds) / MINUTE);
  const first = Math.max(
    UNITS.findIndex((unit) => minutes >= unit.minutes),
    0,
  );
  let rest = minutes;
  const parts = UNITS.slice(first, first + 2).map(({ name, minutes: size }) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count > 0 ? `${count} ${name}` : "";
  });
  return parts.filter((part) => part !== "").join(" ");
}
