// The sites of an account as the editor lists them: sorted by name, and searched by name, id and place.
import { MAX_NAME_LENGTH } from "../limits";
import { firstText, isServiceObject } from "../models/service-object";
import type { Site } from "../models/site";
import { generationsOf, siteIdOf, systemsOf } from "../models/site-reader";
import { shownText } from "../shown-text";
import type { SiteChoice } from "./choices";
import { folded, matcher } from "./search-text";

/** How many sites an answer lists. */
const MAX_CHOICES = 50;

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

interface Entry {
  choice: SiteChoice;
  site: Site;
  /** Everything that is searched, folded. */
  text: string;
}

/** What was found: `found` holds the first `MAX_CHOICES` of `total`. */
export interface FoundSites {
  found: readonly { choice: SiteChoice; site: Site }[];
  total: number;
}

/** The list is prepared once, so that each search of 10,000 sites takes a few milliseconds. */
export class SiteChoices {
  readonly #entries: readonly Entry[];
  readonly #byId: ReadonlyMap<string, Entry>;

  /**
   * @param sites a site that is listed twice counts once
   * @param isPc1Needed whether the nodes of the account do not see a site because the account did not opt in to PC1
   */
  constructor(sites: readonly Site[], isPc1Needed: (siteId: string) => boolean = () => false) {
    const byId = new Map<string, Entry>();
    for (const site of sites) {
      const siteId = siteIdOf(site);
      if (siteId !== "" && !byId.has(siteId)) byId.set(siteId, entryOf(site, siteId, isPc1Needed(siteId)));
    }
    this.#byId = byId;
    this.#entries = [...byId.values()].toSorted((a, b) => compare(a.choice, b.choice));
  }

  /** How many sites there are in all. */
  get count(): number {
    return this.#entries.length;
  }

  /** The sites whose name, id, city and country contain every word of the search. */
  search(search: string): FoundSites {
    const matches = matcher(search.slice(0, MAX_NAME_LENGTH));
    const all = this.#entries.filter(({ text }) => matches(text));
    return { found: all.slice(0, MAX_CHOICES), total: all.length };
  }

  /** Those of the sites that are listed, in the given order. */
  withIds(siteIds: readonly string[]): SiteChoice[] {
    return [...new Set(siteIds)].flatMap((siteId) => this.#byId.get(siteId)?.choice ?? []);
  }
}

function entryOf(site: Site, siteId: string, isPc1Needed: boolean): Entry {
  const address = isServiceObject(site.siteAddress) ? site.siteAddress : {};
  const [name, city, country] = [
    shown(firstText(site, ["siteName", "name"])),
    shown(firstText(address, ["city"])),
    shown(firstText(address, ["country"])),
  ];
  const place = city ?? country;
  const choice: SiteChoice = {
    siteId,
    ...(name === undefined ? {} : { name }),
    ...(place === undefined ? {} : { place }),
    generations: generationsOf(site).map((generation) => shownText(generation, MAX_NAME_LENGTH)),
    systemCount: systemsOf(site).length,
    ...(isPc1Needed ? { isPc1Needed } : {}),
  };
  return { choice, site, text: folded([name, siteId, city, country].filter(Boolean).join("\n")) };
}

function shown(text: string | undefined): string | undefined {
  return text === undefined ? undefined : shownText(text, MAX_NAME_LENGTH).trim();
}

/** Names that are equal are told apart by their ids, so that the order never changes. */
function compare(one: SiteChoice, other: SiteChoice): number {
  const byName = collator.compare(one.name ?? one.siteId, other.name ?? other.siteId);
  if (byName !== 0) return byName;
  return one.siteId < other.siteId ? -1 : 1;
}
