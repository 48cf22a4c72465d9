// What each address stands for: a site with one system is that system. Looked up once, in the site list or else in the site's
// details, and remembered.
import { withSignal } from "../abort";
import { setNewest } from "../bounded-map";
import { systemClock } from "../clock";
import { AbortedError, isRefusal, SystemRequiredError } from "../errors";
import { inTurns } from "../loop-turns";
import { matches, optional, readerOf, text } from "../models/shape";
import { generationOf, type Site, siteIdOf, systemIdOf, systemsOf } from "../models/site";
import { isId } from "../settings/rules";
import { cachedPromise, SingleFlight } from "../single-flight";
import type { StateForm, StateGroup } from "../stored-state";
import { HOUR, MINUTE } from "../time-units";
import type { SeriesAddress } from "./identity";

/** An address that is the same however a node names the series: without a system only if the site shows none. */
export interface ResolvedSeries extends SeriesAddress {
  readonly siteId: string;
  readonly systemId: string | undefined;
  /** As the service spells it; undefined if it is unknown. */
  readonly generation: string | undefined;
}

export interface ResolveOptions {
  signal?: AbortSignal | undefined;
  /** Whether sites with PC1 systems count even if the account did not opt in to them. */
  pc1?: boolean | undefined;
  /** Whether the answer survives a restart; by default, it does. */
  isKept?: boolean | undefined;
}

interface ReadOptions {
  pc1: boolean;
  signal: AbortSignal;
}

/** The requests that tell the systems of sites. Each rejects as the service client does. */
export interface SiteSource {
  sites(options: ReadOptions): Promise<Site[]>;
  site(siteId: string, options: ReadOptions): Promise<Site>;
  /** Requests records of a site, without naming a system. */
  records(siteId: string, options: ReadOptions): Promise<unknown>;
}

interface KnownSystem {
  readonly systemId?: string | undefined;
  readonly generation?: string | undefined;
}

/** A site as it is remembered: its systems, which may have no ids; none if it shows none. */
export interface KnownSite {
  readonly siteId: string;
  readonly systems: readonly KnownSystem[];
  /** Seen only by requests for PC1. */
  readonly pc1?: boolean | undefined;
}

/** A site in an answer. */
export interface ListedSite {
  readonly siteId: string;
  readonly systems: readonly KnownSystem[];
  /** Whether the answer says that it has no systems, and nothing else is known. */
  readonly isEmpty?: boolean;
}

const readKnownSite = readerOf((stored): stored is KnownSite =>
  matches(stored, {
    siteId: isId,
    systems: [{ systemId: optional(isId), generation: optional(text) }],
    pc1: optional((value) => value === true),
  }),
);

/** Opens the store of the sites; undefined if they last as long as the book. */
export type StoredSites = (form: StateForm<KnownSite>) => StateGroup<KnownSite> | undefined;

/** How long a list counts as current, and how long to wait after one that failed. */
const LIST_AGE = HOUR;
const RETRY = 5 * MINUTE;
/** How long a run waits for what it can do without. */
const PATIENCE = 3000;
/** Sites that no list shows: messages may name any number of them. */
const MAX_UNLISTED = 10_000;

/** What requests with, or without, the header for PC1 show. */
interface View {
  readonly pc1: boolean;
  readonly sites: Map<string, KnownSite>;
  readonly unlisted: Map<string, true>;
  /** On the monotonic clock. */
  nextListAt: number;
  /** Why the last list failed. */
  failure: unknown;
}

/** One per account. */
export class SeriesBook {
  readonly #source: SiteSource;
  readonly #stored: StateGroup<KnownSite> | undefined;
  readonly #views: { readonly plain: View; readonly pc1: View };
  /** The sites as they are stored. */
  readonly #saved = new Map<string, KnownSite>();
  readonly #load = cachedPromise(() => this.#loadStored());
  readonly #writes = new Set<Promise<void>>();
  readonly #lists = new SingleFlight<void>();
  readonly #details = new SingleFlight<KnownSite>();

  /**
   * @param hasPc1 whether the account's requests show PC1 systems anyway
   * @param stored keeps what was resolved across restarts
   */
  constructor(source: SiteSource, hasPc1: boolean, stored?: StoredSites) {
    this.#source = source;
    this.#stored = stored?.({ read: readKnownSite });
    const plain = newView(hasPc1);
    this.#views = { plain, pc1: hasPc1 ? plain : newView(true) };
  }

  /**
   * Which series an address stands for. Rejects with the service's error while that is unknown, with SystemRequiredError for a
   * site with several systems, and with AbortedError.
   */
  async resolve(
    { siteId, systemId }: SeriesAddress,
    { signal, pc1 = false, isKept = true }: ResolveOptions = {},
  ): Promise<ResolvedSeries> {
    const view = await this.#view(pc1);
    const known = view.sites.get(siteId);
    if (systemId !== undefined) {
      const generation = await this.#generationOf(view, siteId, systemId, signal);
      const site = view.sites.get(siteId);
      if (site && isKept) this.#save(view, site);
      return { siteId, systemId, generation };
    }
    const isClear = known && known.systems.length < 2;
    // A system that was added or replaced shows in the next list.
    if (isClear) void this.#refresh(view).catch(() => undefined);
    const site = isClear ? known : await this.#lookUp(view, siteId, signal);
    if (isKept) this.#save(view, site);
    return seriesOf(site);
  }

  /** What the book knows of an address without waiting for anyone; undefined if it knows nothing, or of several systems. */
  async known({ siteId, systemId }: SeriesAddress, pc1 = false): Promise<ResolvedSeries | undefined> {
    const view = await this.#view(pc1);
    const known = view.sites.get(siteId);
    if (systemId !== undefined) return { siteId, systemId, generation: generationIn(known, systemId) };
    if (!known || known.systems.length > 1) return undefined;
    // A system that was added or replaced shows in the next list.
    void this.#refresh(view).catch(() => undefined);
    return seriesOf(known);
  }

  /**
   * Learns from sites that someone else has read. Resolves to what is known of each, once, in their order.
   * @param isWhole whether the account has no others
   */
  async listed(
    sites: readonly Site[],
    { pc1, isWhole }: { pc1: boolean; isWhole: boolean },
  ): Promise<ReadonlyMap<string, ListedSite>> {
    return this.#note(await this.#view(pc1), sites, isWhole);
  }

  /** Resolves once everything is stored that can be. */
  async flush(): Promise<void> {
    await Promise.all(this.#writes);
  }

  async #view(pc1: boolean): Promise<View> {
    // What cannot be read is looked up again.
    await this.#load().catch(() => undefined);
    return pc1 ? this.#views.pc1 : this.#views.plain;
  }

  async #loadStored(): Promise<void> {
    const sites = (await this.#stored?.load()) ?? [];
    for (const site of sites) {
      const view = site.pc1 ? this.#views.pc1 : this.#views.plain;
      this.#saved.set(nameOf(view, site), site);
      if (!view.sites.has(site.siteId)) view.sites.set(site.siteId, site);
    }
  }

  /** No run waits long for it, or fails for it. */
  async #generationOf(
    view: View,
    siteId: string,
    systemId: string,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const generation = generationIn(view.sites.get(siteId), systemId);
    if (generation !== undefined) return generation;
    await withSignal([signal], () => this.#refresh(view), { ms: PATIENCE }).catch(() => undefined);
    if (signal?.aborted) throw new AbortedError();
    return generationIn(view.sites.get(siteId), systemId);
  }

  /** The systems of a site, by a current list, else by the site's details. */
  async #lookUp(view: View, siteId: string, signal: AbortSignal | undefined): Promise<KnownSite> {
    await this.#refresh(view, signal);
    const listed = view.sites.get(siteId);
    if (listed) return listed;
    const read = (abandoned: AbortSignal): Promise<KnownSite> => this.#readDetails(view, siteId, abandoned);
    return this.#details.run(`${view.pc1} ${siteId}`, read, signal);
  }

  /** Of a site whose systems no list shows. */
  async #readDetails(view: View, siteId: string, signal: AbortSignal): Promise<KnownSite> {
    const options = { pc1: view.pc1, signal };
    const details = await this.#source.site(siteId, options).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      return undefined;
    });
    const systems = details ? systemsIn(details) : [];
    if (systems.length === 0) {
      if (view.failure !== undefined && !isRefusal(view.failure)) throw view.failure;
      // A site that the service refuses altogether is none.
      if (!details) await this.#source.records(siteId, options);
    }
    const site = knownSite(view, siteId, systems);
    this.#remember(view, site, false);
    return site;
  }

  /** Reads the list unless it is current, or failed a short while ago. Rejects with AbortedError only. */
  async #refresh(view: View, signal?: AbortSignal): Promise<void> {
    if (systemClock.monotonic() < view.nextListAt) return;
    await this.#lists.run(String(view.pc1), (abandoned) => this.#readList(view, abandoned), signal);
  }

  async #readList(view: View, signal: AbortSignal): Promise<void> {
    try {
      await this.#note(view, await this.#source.sites({ pc1: view.pc1, signal }), true);
    } catch (error) {
      if (error instanceof AbortedError) throw error;
      view.failure = error;
      view.nextListAt = systemClock.monotonic() + RETRY;
    }
  }

  /** Of a site that is listed twice, the first entry counts. A site that now shows no systems keeps those that it had. */
  async #note(view: View, sites: readonly Site[], isWhole: boolean): Promise<Map<string, ListedSite>> {
    const listed = new Map<string, ListedSite>();
    await inTurns(sites, (site) => {
      const siteId = siteIdOf(site);
      if (listed.has(siteId)) return;
      const systems = systemsIn(site);
      const known = view.sites.get(siteId);
      const isNews = !known ? systems.length > 0 : isMore(systems, known.systems);
      const current = isNews ? knownSite(view, siteId, systems) : known;
      if (current && isNews) this.#remember(view, current, isWhole);
      listed.set(siteId, current ?? { siteId, systems, isEmpty: site.systems?.length === 0 });
    });
    if (!isWhole) return listed;
    for (const siteId of listed.keys()) view.unlisted.delete(siteId);
    await inTurns([...view.sites.keys()], (siteId) => {
      if (!listed.has(siteId)) this.#noteUnlisted(view, siteId);
    });
    view.failure = undefined;
    view.nextListAt = systemClock.monotonic() + LIST_AGE;
    return listed;
  }

  #remember(view: View, site: KnownSite, isListed: boolean): void {
    const isNew = !view.sites.has(site.siteId);
    view.sites.set(site.siteId, site);
    if (isNew && !isListed) this.#noteUnlisted(view, site.siteId);
  }

  #noteUnlisted(view: View, siteId: string): void {
    if (view.unlisted.has(siteId)) return;
    const [removed] = setNewest(view.unlisted, siteId, true, MAX_UNLISTED) ?? [];
    const site = removed === undefined ? undefined : view.sites.get(removed);
    if (!site) return;
    view.sites.delete(site.siteId);
    const name = nameOf(view, site);
    if (this.#saved.delete(name)) this.#write(name, undefined);
  }

  #save(view: View, site: KnownSite): void {
    const name = nameOf(view, site);
    if (this.#saved.get(name) !== site) {
      this.#saved.set(name, site);
      this.#write(name, site);
    }
  }

  #write(name: string, site: KnownSite | undefined): void {
    // What cannot be stored is looked up again after a restart.
    const write = this.#stored
      ?.store(name)
      .save(site)
      .catch(() => void this.#saved.delete(name));
    if (!write) return;
    this.#writes.add(write);
    void write.then(() => this.#writes.delete(write));
  }
}

function newView(pc1: boolean): View {
  const nextListAt = Number.NEGATIVE_INFINITY;
  return { pc1, sites: new Map(), unlisted: new Map(), nextListAt, failure: undefined };
}

function nameOf({ pc1 }: View, { siteId }: KnownSite): string {
  return pc1 ? `pc1 ${siteId}` : siteId;
}

function knownSite({ pc1 }: View, siteId: string, systems: readonly KnownSystem[]): KnownSite {
  return { siteId, systems, ...(pc1 && { pc1 }) };
}

/** Those without a readable id count only if no other has one. */
function systemsIn(site: Site): KnownSystem[] {
  const systems = systemsOf(site).map((system) => ({
    systemId: systemIdOf(system),
    generation: generationOf(system),
  }));
  const named = systems.filter(isNamed);
  return named.length > 0 ? named : systems;
}

function isNamed({ systemId }: KnownSystem): boolean {
  return systemId !== undefined;
}

/** Whether what an answer shows replaces what is known: not if it shows less. */
function isMore(shown: readonly KnownSystem[], known: readonly KnownSystem[]): boolean {
  return (shown.some(isNamed) || !known.some(isNamed)) && shown.length > 0 && !isSame(shown, known);
}

function isSame(some: readonly KnownSystem[], others: readonly KnownSystem[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ systemId, generation }, index) => {
      const other = others[index];
      return other?.systemId === systemId && other?.generation === generation;
    })
  );
}

function generationIn(site: KnownSite | undefined, systemId: string): string | undefined {
  return site?.systems.find((system) => system.systemId === systemId)?.generation;
}

/** Throws SystemRequiredError for a site with several systems. */
function seriesOf({ siteId, systems }: KnownSite): ResolvedSeries {
  const ids = systems.flatMap(({ systemId }) => systemId ?? []);
  const [system, ...others] = systems;
  if (ids.length > 0 && others.length > 0) throw new SystemRequiredError(siteId, ids);
  const generation = others.length === 0 ? system?.generation : undefined;
  return { siteId, systemId: system?.systemId, generation };
}
