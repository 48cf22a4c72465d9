// The topics of a site and its systems: PREFIX/SITE/SYSTEM and below.
import type { SeriesAddress } from "../ledger/record-id";

/** The level of the system where there is none. */
const NO_SYSTEM = "site";

/** Whether a value can be one level of a topic: half a surrogate pair cannot be encoded. */
export function isTopicLevel(value: unknown): value is string {
  return typeof value === "string" && /^\P{Surrogate}+$/u.test(value);
}

/** A text as one level of a topic, percent-encoded so that it can be decoded. */
export function topicLevel(text: string): string {
  return encodeURIComponent(text);
}

/** PREFIX/SITE/SYSTEM. A system with the id `site` differs from no system. */
export function seriesTopic(prefix: string, { siteId, systemId }: SeriesAddress): string {
  const system = systemId === NO_SYSTEM ? "%73ite" : topicLevel(systemId ?? NO_SYSTEM);
  return `${prefix}/${topicLevel(siteId)}/${system}`;
}
