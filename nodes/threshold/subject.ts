// What a decision is about: each site, system or other topic is decided on by itself.

/** Messages that a timer sends are marked with it. */
export interface Subject {
  topic?: string;
  siteId?: string;
  systemId?: string;
}

/** A site or one of its systems; for other messages their topic. */
export function subjectOf({ topic, siteId, systemId }: Record<keyof Subject, unknown>): Subject {
  return { ...textual("topic", topic), ...textual("siteId", siteId), ...textual("systemId", systemId) };
}

export function subjectKey({ topic = "", siteId, systemId = "" }: Subject): string {
  return JSON.stringify(siteId === undefined ? [topic] : [siteId, systemId]);
}

function textual(name: keyof Subject, value: unknown): Subject {
  return typeof value === "string" ? { [name]: value } : {};
}
