// Reads the stored decisions of a threshold node, which may be damaged or from another version.
import { isNoValueReason } from "./freshness";
import type { StoredThreshold } from "./threshold";
import { isServiceObject } from "../models/service-object";
import { type Subject, subjectOf } from "./subject";

export interface StoredDecision {
  subject: Subject;
  state: StoredThreshold;
}

/** Returns undefined if the data is not a list of decisions. */
export function readDecisions(stored: unknown): StoredDecision[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  const decisions = stored.map(readDecision);
  return decisions.every((decision) => decision !== undefined) ? decisions : undefined;
}

/** Leaves out what does not survive a restart. */
export function storedDecision({ subject, state }: StoredDecision): StoredDecision {
  const { side, unsafe, value, time, end } = state;
  return { subject, state: { side, unsafe, value, time, end } };
}

function readDecision(stored: unknown): StoredDecision | undefined {
  if (!isServiceObject(stored) || !isServiceObject(stored["subject"]) || !isServiceObject(stored["state"]))
    return undefined;
  const { side, unsafe, value, time, end } = stored["state"];
  const reason = isNoValueReason(unsafe) ? unsafe : undefined;
  const state: StoredThreshold = {
    // Earlier versions kept the side while it was unsafe.
    side: reason === undefined && (side === "high" || side === "low") ? side : undefined,
    unsafe: reason,
    value: optionalNumber(value),
    time: optionalNumber(time),
    end: optionalNumber(end),
  };
  const { topic, siteId, systemId } = stored["subject"];
  return { subject: subjectOf({ topic, siteId, systemId }), state };
}

function optionalNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
