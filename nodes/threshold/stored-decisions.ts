// Reads the stored decisions of a threshold node, which may be damaged or from another version.
import { isNoValueReason } from "../../src/decisions/freshness";
import type { ThresholdState } from "../../src/decisions/threshold";
import { isServiceObject } from "../../src/models/service-object";
import { type Subject, subjectOf } from "./subject";

export interface StoredDecision {
  subject: Subject;
  state: ThresholdState;
}

/** Returns undefined if the data is not a list of decisions. */
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
    unsafe: isNoValueReason(unsafe) ? unsafe : undefined,
    time: typeof time === "number" ? time : undefined,
    end: typeof end === "number" ? end : undefined,
  };
  const { topic, siteId, systemId } = stored["subject"];
  return { subject: subjectOf({ topic, siteId, systemId }), state };
}
