// Decides when a device that site lists no longer contain is removed: not after one list, which may be incomplete.
import { type Site, siteIdOf, systemIdOf, systemsOf } from "../../models/site";
import type { SeriesAddress } from "../../ledger/record-id";
import { HOUR } from "../../time-units";

const MISSING_LISTS = 3;
const MISSING_FOR = 24 * HOUR;

/** The complete site lists in a row without a device. Plain data, stored as JSON. */
export interface Absence {
  /** When the first of them came, in milliseconds. */
  since: number;
  lists: number;
}

/** Tells whether a list contains a site or system. A site that comes without its systems may have any of them. */
export function listedIn(sites: Site[]): (address: SeriesAddress) => boolean {
  const systemsBySite = new Map<string, Set<string | undefined>>();
  for (const site of sites) {
    // A site may be listed twice. A system without an id could be any one.
    const systemIds = Array.isArray(site.systems) ? systemsOf(site).map(systemIdOf) : [undefined];
    const known = systemsBySite.get(siteIdOf(site)) ?? new Set();
    systemsBySite.set(siteIdOf(site), known);
    for (const systemId of systemIds) known.add(systemId);
  }
  return ({ siteId, systemId }) => {
    const systemIds = systemsBySite.get(siteId);
    if (systemIds === undefined || systemId === undefined) return systemIds !== undefined;
    return systemIds.has(systemId) || systemIds.has(undefined);
  };
}

/** The absence after one more list without the device. Starts over if the clock has been set back. `now` in milliseconds. */
export function countAbsence(known: Absence | undefined, now: number): Absence {
  return known && known.since <= now ? { ...known, lists: known.lists + 1 } : { since: now, lists: 1 };
}

/** Whether the device no longer exists. `now` in milliseconds. */
export function isGone({ since, lists }: Absence, now: number): boolean {
  return lists >= MISSING_LISTS && now - since >= MISSING_FOR;
}
