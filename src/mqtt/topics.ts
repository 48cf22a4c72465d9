// The topics of a site and its systems: PREFIX/SITE/SYSTEM and what comes below.
import type { SeriesAddress } from "../ledger/record-id";

/** Stands in the place of the system where there is none. */
const NO_SYSTEM = "site";

/** Whether a value can be one level of a topic: half a surrogate pair has no encoding. */
export function isTopicLevel(value: unknown): value is string {
  return typeof value === "string" && /^\P{Surrogate}+$/u.test(value);
}

/** A text as one level of a topic: percent-encoded, so that it can be read back. */
export function topicLevel(text: string): string {
  return encodeURIComponent(text);
}

/** PREFIX/SITE/SYSTEM; a system that is called `site` stays apart from no system. */
export function seriesTopic(prefix: string, { siteId, systemId }: SeriesAddress): string {
  const system = systemId === NO_SYSTEM ? "%73ite" : topicLevel(systemId ?? NO_SYSTEM);
  return `${prefix}/${topicLevel(siteId)}/${system}`;
}
