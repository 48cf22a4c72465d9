// The subject of a decision: each site, system or other topic is decided on separately.
import { InputError } from "../errors";
import { MAX_SUBJECT_LENGTH } from "../limits";
import { isId } from "../settings/rules";

/** Also set on messages that a timer sends. */
export interface Subject {
  topic?: string;
  siteId?: string;
  systemId?: string;
}

/** A site or one of its systems, or the topic of any other message. */
export function subjectOf({ topic, siteId, systemId }: Record<keyof Subject, unknown>): Subject {
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
