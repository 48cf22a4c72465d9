// The subject of a decision: each site, system or other topic is decided on separately, and stored with its state.
import { InputError } from "../errors";
import { MAX_SUBJECT_LENGTH } from "../limits";
import { isServiceObject } from "../models/service-object";
import { isId } from "../settings/rules";
import type { StateForm } from "../stored-state";
import { isNoValueReason } from "./freshness";
import type { StoredThreshold } from "./threshold";

/** Also set on messages that a timer sends. */
export interface Subject {
  topic?: string;
  siteId?: string;
  systemId?: string;
}

/** A site or one of its systems, or the topic of any other message. */
function subjectOf({ topic, siteId, systemId }: Record<keyof Subject, unknown>): Subject {
  return {
    ...optionalText("topic", topic),
    ...optionalText("siteId", siteId),
    ...optionalText("systemId", systemId),
  };
}

/** The subject of a message. Throws InputError for an id that is not valid, and for a topic that is too long. */
export function subjectOfMessage(message: Record<keyof Subject, unknown>): Subject {
  const subject = subjectOf(message);
  const { topic = "", siteId, systemId } = subject;
  // An empty id is none.
  if (siteId && !isId(siteId)) throw new InputError("messageSite");
  if (systemId && !isId(systemId)) throw new InputError("messageSystem");
  if (topic.length > MAX_SUBJECT_LENGTH)
    throw new InputError("topicTooLong", { characters: MAX_SUBJECT_LENGTH });
  return subject;
}

export function subjectKey({ topic = "", siteId, systemId = "" }: Subject): string {
  return JSON.stringify(siteId === undefined ? [topic] : [siteId, systemId]);
}

function optionalText(name: keyof Subject, value: unknown): Subject {
  return typeof value === "string" ? { [name]: value } : {};
}

export interface StoredDecision {
  subject: Subject;
  state: StoredThreshold;
}

export const DECISIONS_FORM: StateForm<readonly StoredDecision[]> = {
  read: readDecisions,
  toStored: (decisions) => decisions.map(storedDecision),
};

function readDecisions(stored: unknown): readonly StoredDecision[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  const decisions = stored.map(readDecision);
  return decisions.every((decision) => decision !== undefined) ? decisions : undefined;
}

/** Leaves out what does not survive a restart. */
function storedDecision({ subject, state }: StoredDecision): StoredDecision {
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
