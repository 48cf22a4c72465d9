// Reads the stored decisions of a threshold node, which may be damaged.
import { isNoValueReason } from "./freshness";
import type { StoredThreshold } from "./threshold";
import { isServiceObject } from "../models/service-object";
import { type Subject, subjectOf } from "./subject";

export interface StoredDecision {
  subject: Subject;
  state: StoredThreshold;
}

/** Undefined if the data is not a list of decisions. */
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
  const { topic, siteId, systemId } = stored["subject"];
  if (side !== undefined && side !== "high" && side !== "low") return undefined;
  if (unsafe !== undefined && !isNoValueReason(unsafe)) return undefined;
  if (!isNumberOrNone(value) || !isNumberOrNone(time) || !isNumberOrNone(end)) return undefined;
  return { subject: subjectOf({ topic, siteId, systemId }), state: { side, unsafe, value, time, end } };
}

function isNumberOrNone(value: unknown): value is number | undefined {
  return value === undefined || typeof value === "number";
}
