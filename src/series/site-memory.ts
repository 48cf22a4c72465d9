// The sites that requests with, or without, the header for PC1 have shown, kept across restarts.
import { setNewest } from "../bounded-map";
import { inTurns } from "../loop-turns";
import { matches, number, readerOf } from "../models/shape";
import type { Site } from "../models/site";
import { cachedPromise } from "../single-flight";
import type { StateForm, StateGroup } from "../stored-state";
import { MINUTE } from "../time-units";
import { afterAnswer, type KnownSite, readKnownSite, shownSite } from "./known-site";

/** A site in an answer, with what was known of it before. */
export interface ListedSite extends Pick<KnownSite, "siteId" | "systems"> {
  /** Whether the answer says that it has no systems, and no other has shown any. */
  readonly isEmpty?: boolean;
}

/** An answer of the service about sites. */
export interface SitesAnswer {
  readonly sites: readonly Site[];
  /** Whether the account has no others. */
  readonly isWhole: boolean;
  /** When it was asked for, in milliseconds. */
  readonly readAt: number;
  /** Whether all of them survive a restart; by default, those that were resolved do. */
  readonly isKept?: boolean;
}

interface ListTime {
  readonly listReadAt: number;
}

type StoredAnswer = KnownSite | ListTime;

const readListTime = readerOf((stored): stored is ListTime => matches(stored, { listReadAt: number }));

const FORM: StateForm<StoredAnswer> = { read: (stored) => readKnownSite(stored) ?? readListTime(stored) };

/** Opens the store of the sites; undefined if they last as long as the account. */
export type StoredSites = (form: StateForm<StoredAnswer>) => StateGroup<StoredAnswer> | undefined;

/** Under which the time of the list is stored: no id is empty. */
const LIST = "";
/** How often the time of an answer is stored, in milliseconds: after a crash, a series may begin as much earlier. */
const TIME_INTERVAL = 15 * MINUTE;
/** Sites that no list shows: messages may name any number of them. */
const MAX_UNLISTED = 10_000;

export class SiteMemory {
  readonly #stored: StateGroup<StoredAnswer> | undefined;
  readonly #sites = new Map<string, KnownSite>();
  readonly #unlisted = new Map<string, true>();
  /** The sites as they are stored, or being written. */
  readonly #saved = new Map<string, KnownSite>();
  /** When the last list was asked for, in milliseconds. */
  #listReadAt: number | undefined;

  /** Resolves once what is stored is known. What cannot be read is looked up again. */
  readonly load = cachedPromise(async () => {
    for (const stored of (await this.#stored?.load().catch(() => undefined)) ?? []) {
      if ("listReadAt" in stored) {
        this.#listReadAt ??= stored.listReadAt;
      } else if (!this.#sites.has(stored.siteId)) {
        this.#saved.set(stored.siteId, stored);
        this.#set(stored);
      }
    }
  });

  constructor(stored: StoredSites | undefined) {
    this.#stored = stored?.(FORM);
  }

  get(siteId: string): KnownSite | undefined {
    return this.#sites.get(siteId);
  }

  /** The sites of the last list. */
  get listed(): KnownSite[] {
    return [...this.#sites.values()].filter(({ isUnlisted }) => !isUnlisted);
  }

  /**
   * Resolves to what is known of each site of an answer, once, in their order. Of a site that is listed twice, the first entry
   * counts.
   */
  async note({ sites, isWhole, readAt, isKept }: SitesAnswer): Promise<Map<string, ListedSite>> {
    const listed = new Map<string, ListedSite>();
    await inTurns(sites, (answered) => {
      const shown = shownSite(answered);
      const { siteId } = shown;
      if (listed.has(siteId)) return;
      const isKnown = this.#sites.has(siteId) || shown.systems.length > 0;
      const site = isKnown ? this.learn(shown, isWhole ? undefined : readAt) : shown;
      if (isKnown && isKept) this.keep(site);
      const { systems } = site;
      listed.set(siteId, {
        siteId,
        systems,
        isEmpty: systems.length === 0 && answered.systems?.length === 0,
      });
    });
    if (!isWhole) return listed;
    await inTurns(this.listed, (site) => {
      if (!listed.has(site.siteId)) this.#set({ ...site, isUnlisted: true });
    });
    this.#listReadAt = readAt;
    this.#saveListTime(TIME_INTERVAL);
    return listed;
  }

  /**
   * The site as it is known after an answer about it.
   * @param readAt when its details were asked for; undefined if a list shows it
   */
  learn(shown: KnownSite, readAt: number | undefined): KnownSite {
    const known = this.#sites.get(shown.siteId);
    const isByList = readAt === undefined;
    const last = known?.readAt;
    const before = last ?? (known || isByList ? this.#listReadAt : undefined);
    // Where lists show the systems, they say when.
    const isByDetails = isByList ? shown.systems.length === 0 : !known?.systems.length || last !== undefined;
    const isOld = readAt !== undefined && (last === undefined || Math.abs(readAt - last) >= TIME_INTERVAL);
    const { siteId, systems, name, timezone } = afterAnswer(known, shown, before);
    const shownAt = isByDetails ? (isOld ? readAt : last) : undefined;
    const isUnlisted = isByList ? undefined : known ? known.isUnlisted : true;
    const site = { siteId, systems, name, timezone, readAt: shownAt, isUnlisted };
    return known && JSON.stringify(site) === JSON.stringify(known) ? known : this.#set(site);
  }

  /** Stores a site, from now on after each change. */
  keep(site: KnownSite): void {
    if (this.#saved.get(site.siteId) === site) return;
    const isFirst = this.#saved.size === 0;
    this.#saved.set(site.siteId, site);
    this.#write(site.siteId, site);
    if (isFirst) this.#saveListTime(0);
  }

  /** Resolves once everything is stored that can be. */
  async flush(): Promise<void> {
    await this.#stored?.flush();
  }

  #set(site: KnownSite): KnownSite {
    const { siteId, isUnlisted } = site;
    this.#sites.set(siteId, site);
    if (this.#saved.has(siteId)) this.keep(site);
    if (!isUnlisted) this.#unlisted.delete(siteId);
    else if (!this.#unlisted.has(siteId))
      this.#forget(setNewest(this.#unlisted, siteId, true, MAX_UNLISTED)?.[0]);
    return site;
  }

  #forget(siteId: string | undefined): void {
    if (siteId === undefined) return;
    this.#sites.delete(siteId);
    if (this.#saved.delete(siteId)) this.#write(siteId, undefined);
  }

  /** Not for sites of which nothing is stored. */
  #saveListTime(within: number): void {
    const listReadAt = this.#listReadAt;
    if (listReadAt !== undefined && this.#saved.size > 0) this.#write(LIST, { listReadAt }, within);
  }

  #write(name: string, state: StoredAnswer | undefined, within = 0): void {
    // What cannot be stored is looked up again after a restart.
    const write = this.#stored?.store(name).save(state, within);
    write?.catch(() => void this.#saved.delete(name));
  }
}
