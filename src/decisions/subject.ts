// The subject of a decision: each site, system or other topic is decided on separately, and stored with its state.
import { InputError } from "../errors";
import { MAX_SUBJECT_LENGTH } from "../limits";
import { number, oneOf, optional, readerOf, type Shape, text } from "../models/shape";
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

/** The site or system of a message, or its topic. Throws InputError for an id that is not valid, or a topic that is too long. */
export function subjectOfMessage(message: { readonly [Name in keyof Subject]?: unknown }): Subject {
  const subject: Subject = {};
  for (const name of ["topic", "siteId", "systemId"] as const) {
    const value = message[name];
    if (typeof value === "string") subject[name] = value;
  }
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

export interface StoredDecision {
  subject: Subject;
  state: StoredThreshold;
}

const [TEXT, NUMBER] = [optional(text), optional(number)];

/** What survives a restart. */
const STATE: Readonly<Record<keyof StoredThreshold, Shape>> = {
  side: optional(oneOf(["high", "low"])),
  unsafe: optional(isNoValueReason),
  value: NUMBER,
  time: NUMBER,
  validUntil: NUMBER,
  limits: optional({ high: number, low: number }),
  end: NUMBER,
};
const DECISION: Shape = { subject: { topic: TEXT, siteId: TEXT, systemId: TEXT }, state: STATE };

export const DECISIONS_FORM: StateForm<readonly StoredDecision[]> = {
  read: readerOf<StoredDecision[]>([DECISION]),
  toStored: (decisions) =>
    decisions.map(({ subject, state }) => ({
      subject,
      state: Object.fromEntries(Object.entries(state).filter(([name]) => name in STATE)),
    })),
};
