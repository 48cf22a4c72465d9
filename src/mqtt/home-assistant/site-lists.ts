// What site lists say about the devices in Home Assistant: which exist, the names of sites, and the models of systems.
import type { SeriesAddress, SeriesNames } from "../../series/identity";
import { firstText } from "../../models/service-object";
import {
  generationOf,
  type Site,
  siteIdOf,
  siteNameOf,
  systemIdOf,
  systemNameOf,
  systemsOf,
} from "../../models/site";
import { defined } from "../../objects";
import { shownName } from "../../shown-text";
import { HOUR } from "../../time-units";
import type { Place } from "./device";

export interface Facts extends Readonly<SeriesNames> {
  readonly model?: string;
  readonly inverterType?: string;
}

/** The complete site lists in a row without a device. Plain data, stored as JSON. */
export interface Absence {
  /** When the first of them came, in milliseconds. */
  since: number;
  lists: number;
}

const MISSING_LISTS = 3;
const MISSING_FOR = 24 * HOUR;

/** What a list says of a site and of each of its systems. */
export function* factsIn(site: Site): Iterable<[SeriesAddress, Facts]> {
  const siteId = siteIdOf(site);
  const siteName = shownName(siteNameOf(site));
  if (siteName !== undefined) yield [{ siteId }, { siteName }];
  for (const system of systemsOf(site)) {
    const systemId = systemIdOf(system);
    if (systemId === undefined) continue;
    const facts = {
      systemName: shownName(systemNameOf(system)),
      model: shownName(generationOf(system)),
      inverterType: shownName(firstText(system.capabilities?.solar ?? {}, ["inverterType"])),
    };
    yield [{ siteId, systemId }, defined(facts)];
  }
}

/** Tells whether a list contains a site or system. A site that comes without its systems may have any of them. */
export function listedIn(sites: Site[]): (place: Place) => boolean {
  const systemsBySite = new Map<string, Set<string | undefined>>();
  for (const site of sites) {
    // A site may be listed twice. A system without an id could be any one.
    const systemIds = Array.isArray(site.systems) ? systemsOf(site).map(systemIdOf) : [undefined];
    const known = systemsBySite.get(siteIdOf(site)) ?? new Set();
    systemsBySite.set(siteIdOf(site), known);
    for (const systemId of systemIds) known.add(systemId);
  }
  return ({ siteId, systemId }) => {
    // The account always exists.
    if (siteId === undefined) return true;
    const systemIds = systemsBySite.get(siteId);
    if (systemIds === undefined || systemId === undefined) return systemIds !== undefined;
    return systemIds.has(systemId) || systemIds.has(undefined);
  };
}

/** The absence after one more list without the device. Starts over if the clock has been set back. `now` in milliseconds. */
export function countAbsence(known: Absence | undefined, now: number): Absence {
  return known && known.since <= now ? { ...known, lists: known.lists + 1 } : { since: now, lists: 1 };
}

/** Whether the device no longer exists: not after one list, which may be incomplete. `now` in milliseconds. */
export function isGone({ since, lists }: Absence, now: number): boolean {
  return lists >= MISSING_LISTS && now - since >= MISSING_FOR;
}
