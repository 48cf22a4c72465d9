// The sites that requests with, or without, the header for PC1 have shown: their systems, names and equipment, how an answer changes
// that, and how it is kept across restarts.
import { setNewest } from "../bounded-map";
import { inTurns } from "../loop-turns";
import { matches, number, oneOf, optional, type Shaped, text } from "../models/shape";
import {
  generationOf,
  readableSystemsOf,
  type Site,
  siteIdOf,
  siteNameOf,
  type System,
  systemIdOf,
  systemNameOf,
} from "../models/site";
import { cachedPromise } from "../single-flight";
import type { StateForm, StateGroup } from "../stored-state";
import { firstText, isServiceObject } from "../models/service-object";
import { defined } from "../objects";
import { decimalOf, isId } from "../settings/rules";
import { shownName } from "../shown-text";

const OPTIONAL = { text: optional(text), number: optional(number), true: optional(oneOf([true])) };

/** By capabilities (service interface 2.3): what is not listed is not there. */
const EQUIPMENT = {
  /** The type of the inverter, as the service spells it; "" if it does not say. */
  solar: OPTIONAL.text,
  storage: OPTIONAL.true,
};

const SYSTEM = {
  /** Absent if no system of the site has a valid one. */
  systemId: optional(isId),
  /** As the service spells it. */
  generation: OPTIONAL.text,
  name: OPTIONAL.text,
  /** Absent if the service shows no capabilities. */
  equipment: optional(EQUIPMENT),
  /** When the last answer without it was read, in milliseconds, if it appeared after another. */
  since: OPTIONAL.number,
};

const SITE = {
  siteId: isId,
  /** Empty if it shows none. */
  systems: [SYSTEM],
  name: OPTIONAL.text,
  timezone: OPTIONAL.text,
  /** Whether lists do not show its systems, so that only its details tell what has changed. */
  isDetailed: OPTIONAL.true,
  /** Not in the last list. */
  isUnlisted: OPTIONAL.true,
  /** When the last answer that shows its systems was read, in milliseconds, if the last list did not show them. */
  shownAt: OPTIONAL.number,
} as const;

export type KnownSystem = Shaped<typeof SYSTEM>;

/** Plain data, stored as JSON. Absent is what no answer has shown. */
export type KnownSite = Shaped<typeof SITE>;

export function shownSite(site: Site): KnownSite {
  return {
    siteId: siteIdOf(site),
    systems: readableSystemsOf(site).map((system) => ({
      systemId: systemIdOf(system),
      generation: generationOf(system),
      name: shownName(systemNameOf(system)),
      equipment: equipmentOf(system),
    })),
    name: shownName(siteNameOf(site)),
    timezone: shownName(site.timezone),
  };
}

function equipmentOf({ capabilities }: System): KnownSystem["equipment"] {
  if (!isServiceObject(capabilities)) return undefined;
  const { solar, storage } = capabilities;
  return defined({
    solar: isServiceObject(solar) ? (shownName(firstText(solar, ["inverterType"])) ?? "") : undefined,
    storage: (isServiceObject(storage) && decimalOf(storage["capacityEnergy"]) !== 0) || undefined,
  });
}

export function hasId({ systemId }: KnownSystem): boolean {
  return systemId !== undefined;
}

/**
 * The systems of a site as they are known after an answer. One without ids, or without systems, takes nothing away.
 * @param since when the last answer was read that would have shown them
 */
function systemsAfter(
  known: readonly KnownSystem[],
  shown: readonly KnownSystem[],
  since: number | undefined,
): readonly KnownSystem[] {
  if (shown.length === 0 || (known.some(hasId) && !shown.some(hasId))) return known;
  // Of those without an id, the first.
  const byId = new Map(known.toReversed().map((system) => [system.systemId, system]));
  return shown.map((system) => systemAfter(byId.get(system.systemId), system, since));
}

function systemAfter(known: KnownSystem | undefined, shown: KnownSystem, first?: number): KnownSystem {
  const { systemId } = shown;
  const { generation = known?.generation, name = known?.name, equipment = known?.equipment } = shown;
  // Not spread: each of thousands of spread objects would have a hidden class of its own.
  return { systemId, generation, name, equipment, since: known ? known.since : first };
}

const LIST_TIME = { listReadAt: number };

export type StoredAnswer = KnownSite | Shaped<typeof LIST_TIME>;

export const SITES_FORM: StateForm<StoredAnswer> = {
  read: (stored) => (matches(stored, SITE) || matches(stored, LIST_TIME) ? stored : undefined),
};

/** Under which the time of the list is stored: no id is empty. */
const LIST = "";
/** How many sites are remembered: of more, those that have changed last. */
const MAX_SITES = 50_000;

export class SiteMemory {
  readonly #sites = new Map<string, KnownSite>();
  /** The sites that are stored. */
  readonly #kept = new Set<string>();
  /** When the last list was requested, in milliseconds. */
  #listReadAt: number | undefined;
  /** The same for sites whose systems the last list did not show: of the last answer that did, else of the list before. */
  readonly #shownAt = new Map<string, number>();
  /** The ids of the last list: of a site whose systems it does not show, nothing is stored until its details are read. */
  #listedIds: ReadonlySet<string> = new Set();
  /** The sites of the last list before this start. */
  listedBefore: readonly KnownSite[] = [];

  /** Resolves to itself once what is stored is known. What cannot be read is looked up again. */
  readonly load = cachedPromise(async (): Promise<SiteMemory> => {
    for (const stored of (await this.stored?.load().catch(() => undefined))?.values() ?? []) {
      if ("listReadAt" in stored) {
        this.#listReadAt ??= stored.listReadAt;
      } else if (!this.#sites.has(stored.siteId)) {
        this.#kept.add(stored.siteId);
        this.#sites.set(stored.siteId, stored);
        if (stored.shownAt !== undefined) this.#shownAt.set(stored.siteId, stored.shownAt);
      }
    }
    this.listedBefore = this.listed;
    return this;
  });

  /** @param stored undefined if they last as long as the account */
  constructor(readonly stored: StateGroup<StoredAnswer> | undefined) {}

  get(siteId: string): KnownSite | undefined {
    return this.#sites.get(siteId);
  }

  /** The sites of the last list. */
  get listed(): KnownSite[] {
    return [...this.#sites.values()].filter(({ isUnlisted }) => !isUnlisted);
  }

  /**
   * Resolves to what is known of each site of a list, once, in their order, but for those that it says have no systems. Of a
   * site that is listed twice, the first entry counts.
   * @param readAt when it was requested, in milliseconds
   */
  async note(sites: readonly Site[], readAt: number): Promise<KnownSite[]> {
    const listed = new Map<string, KnownSite>();
    await inTurns(sites, (answered) => {
      const shown = shownSite(answered);
      const { siteId } = shown;
      if (listed.has(siteId)) return;
      // Systems that show later were not there when the list before this one was read.
      if (shown.systems.length === 0 && this.#listReadAt !== undefined && !this.#shownAt.has(siteId))
        setNewest(this.#shownAt, siteId, this.#listReadAt, MAX_SITES);
      const site =
        this.#sites.has(siteId) || shown.systems.length > 0 ? this.learn(shown, true, readAt) : shown;
      if (site.systems.length > 0 || answered.systems?.length !== 0) listed.set(siteId, site);
    });
    await inTurns(this.listed, (site) => {
      if (!listed.has(site.siteId)) this.#set({ ...site, isUnlisted: true });
    });
    this.#listReadAt = readAt;
    this.#listedIds = new Set(listed.keys());
    if (this.#kept.size > 0) this.#write(LIST, { listReadAt: readAt });
    return [...listed.values()];
  }

  /** The site as it is known after an answer about it, a list or its details, that was requested at this time. */
  learn(shown: KnownSite, isByList: boolean, readAt: number): KnownSite {
    const { siteId } = shown;
    const known = this.#sites.get(siteId);
    const { name = known?.name, timezone = known?.timezone } = shown;
    const since = this.#shownAt.get(siteId) ?? (known || isByList ? this.#listReadAt : undefined);
    if (shown.systems.length > 0 && isByList) this.#shownAt.delete(siteId);
    else if (shown.systems.length > 0) setNewest(this.#shownAt, siteId, readAt, MAX_SITES);
    const systems = systemsAfter(known?.systems ?? [], shown.systems, since);
    const isNews = isByList ? shown.systems.length > 0 : !known?.systems.length;
    const isDetailed = isNews ? !isByList || undefined : known?.isDetailed;
    const isListed = isByList || (known ? !known.isUnlisted : this.#listedIds.has(siteId));
    const isUnlisted: KnownSite["isUnlisted"] = isListed ? undefined : true;
    const shownAt = this.#shownAt.get(siteId);
    const site = { siteId, systems, name, timezone, isDetailed, isUnlisted, shownAt };
    return known && JSON.stringify(site) === JSON.stringify(known) ? known : this.#set(site);
  }

  /** Stores a site, from now on after each change. */
  keep(site: KnownSite): void {
    if (this.#kept.has(site.siteId)) return;
    if (this.#kept.size === 0 && this.#listReadAt !== undefined)
      this.#write(LIST, { listReadAt: this.#listReadAt });
    this.#kept.add(site.siteId);
    this.#write(site.siteId, site);
  }

  #set(site: KnownSite): KnownSite {
    const [forgotten] = setNewest(this.#sites, site.siteId, site, MAX_SITES) ?? [];
    if (forgotten !== undefined && this.#kept.delete(forgotten)) this.#write(forgotten, undefined);
    if (this.#kept.has(site.siteId)) this.#write(site.siteId, site);
    return site;
  }

  #write(name: string, state: StoredAnswer | undefined): void {
    // What cannot be stored is looked up again after a restart.
    void this.stored?.save(name, state).catch(() => undefined);
  }
}
