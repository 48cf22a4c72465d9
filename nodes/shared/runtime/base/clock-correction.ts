// How a wrong clock of this machine is described, in the log and in the status.
import { type ErrorText, errorText } from "../../../../src/errors";
import { durationText } from "../../../../src/time-units";
import type { StatusText } from "./status";

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
