// The subject of a decision: each site, system or other topic is decided on separately.

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

export function subjectKey({ topic = "", siteId, systemId = "" }: Subject): string {
  return JSON.stringify(siteId === undefined ? [topic] : [siteId, systemId]);
}

function optionalText(name: keyof Subject, value: unknown): Subject {
  return typeof value === "string" ? { [name]: value } : {};
}
