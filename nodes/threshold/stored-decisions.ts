// Reads the decisions of a threshold node back from where they were stored: by another version, or damaged.
import { isServiceObject } from "../../src/models/service-object";
import type { NoValueReason } from "../../src/decisions/freshness";
import type { ThresholdState } from "../../src/decisions/threshold";
import { type Subject, subjectOf } from "./incoming";

export interface StoredDecision {
  subject: Subject;
  state: ThresholdState;
}

/** Undefined when these are no decisions. */
export function readDecisions(stored: unknown): StoredDecision[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  const decisions = stored.map(readDecision);
  return decisions.every((decision) => decision !== undefined) ? decisions : undefined;
}

function readDecision(stored: unknown): StoredDecision | undefined {
  if (!isServiceObject(stored) || !isServiceObject(stored["subject"]) || !isServiceObject(stored["state"]))
    return undefined;
  const { side, unsafe, time, end } = stored["state"];
  const state: ThresholdState = {
    side: side === "high" || side === "low" ? side : undefined,
    unsafe: typeof unsafe === "string" ? (unsafe as NoValueReason) : undefined,
    time: typeof time === "number" ? time : undefined,
    end: typeof end === "number" ? end : undefined,
  };
  return { subject: subjectOf({ ...stored["subject"] }), state };
}
