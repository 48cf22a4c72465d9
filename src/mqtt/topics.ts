// The topics of a site and its systems: PREFIX/SITE/SYSTEM and below.
import type { SeriesAddress } from "../series/identity";

/** Stands for the system where there is none. */
const NO_SYSTEM = "site";

/** A text percent-encoded as one topic level. */
export function topicLevel(text: string): string {
  return encodeURIComponent(text);
}

/** PREFIX/SITE/SYSTEM. A system whose id is `site` is escaped to tell it from no system. */
export function seriesTopic(prefix: string, { siteId, systemId }: SeriesAddress): string {
  const system = systemId === NO_SYSTEM ? "%73ite" : topicLevel(systemId ?? NO_SYSTEM);
  return `${prefix}/${topicLevel(siteId)}/${system}`;
}
