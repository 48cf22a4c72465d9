// What each address stands for: a site with one system is that system. Looked up once, in the site list or else in the site's
// details, and remembered.
import { withSignal } from "../abort";
import { setNewest } from "../bounded-map";
import type { ServiceClient } from "../client/service-client";
import { systemClock, timeAt } from "../clock";
import { AbortedError, isRefusal, ResponseError, SystemRequiredError, unlessRefused } from "../errors";
import { unreadableSystemsOf } from "../models/responses";
import { defined } from "../objects";
import { SingleFlight } from "../single-flight";
import type { StateGroup } from "../stored-state";
import type { Site } from "../models/site";
import { HOUR, isoRange, MINUTE } from "../time-units";
import type { SeriesAddress } from "./identity";
import { type KnownSite, type KnownSystem, shownSite, SiteMemory, type StoredAnswer } from "./site-memory";

/** An address that is the same however a node names the series: without a system only if the site shows none. */
export type ResolvedSeries = Readonly<ReturnType<typeof seriesOf>>;

export interface ResolveOptions {
  signal?: AbortSignal | undefined;
  /** Whether the answer survives a restart; by default, it does. */
  isKept?: boolean | undefined;
}

/** What tells the systems of sites. */
export type SiteClient = Pick<ServiceClient, "clock" | "sites" | "site" | "telemetry">;

/** How long an answer counts as current, and how long to wait after a list that failed. */
const CURRENT = HOUR;
const RETRY = 5 * MINUTE;
/** How long a run waits for what it can do without. */
const PATIENCE = 3000;
/** Sites whose details were read. */
const MAX_DETAILED = 20_000;

/** How far back to look for records of a site that shows no systems. */
const REACH = 15 * MINUTE;

/** One for each account, and for what its requests show with, or without, the header for PC1. */
export class SeriesBook {
  readonly #client: SiteClient;
  readonly #pc1: boolean;
  readonly #memory: SiteMemory;
  readonly #lists = new SingleFlight<void>();
  readonly #details = new SingleFlight<KnownSite>();
  /** On the monotonic clock. */
  #nextListAt = Number.NEGATIVE_INFINITY;
  /** Why the last list failed. */
  #failure: unknown;
  /** When the details of a site were last requested, on the monotonic clock. */
  readonly #detailsReadAt = new Map<string, number>();

  /** @param stored keeps what was resolved across restarts */
  constructor(client: SiteClient, pc1: boolean, stored?: StateGroup<StoredAnswer>) {
    this.#client = client;
    this.#pc1 = pc1;
    this.#memory = new SiteMemory(stored);
  }

  /**
   * Which series an address stands for. Rejects with the service's error while that is unknown, with SystemRequiredError for a
   * site with several systems, and with AbortedError.
   */
  async resolve(
    { siteId, systemId }: SeriesAddress,
    { signal, isKept = true }: ResolveOptions = {},
  ): Promise<ResolvedSeries> {
    const memory = await this.#memory.load();
    if (systemId === undefined) return onlySystem(await this.systems(siteId, { signal, isKept }));
    if (systemIn(memory.get(siteId), systemId)?.generation === undefined) await this.#refreshSoon(signal);
    const site = memory.get(siteId);
    this.#renewDetails(siteId);
    if (site && isKept) memory.keep(site);
    return seriesOf(siteId, systemId, site);
  }

  /** A site with its systems; without any if it shows none. Rejects like `resolve`, but for a site with several systems. */
  async systems(siteId: string, { signal, isKept = true }: ResolveOptions = {}): Promise<KnownSite> {
    const memory = await this.#memory.load();
    const known = memory.get(siteId);
    if (!known || known.systems.length > 1) await this.#refresh(signal);
    const site = memory.get(siteId) ?? (await this.#readDetails(siteId, signal));
    this.#renew(siteId);
    if (isKept) memory.keep(site);
    return site;
  }

  /**
   * What is known of a site: by a list, and by its details if lists do not show its time zone. Rejects like `resolve`, if nothing
   * is known.
   */
  async site(siteId: string, { signal }: Pick<ResolveOptions, "signal"> = {}): Promise<KnownSite> {
    const memory = await this.#memory.load();
    if (memory.get(siteId)?.timezone === undefined) await this.#refresh(signal);
    else this.#renew(siteId);
    const listed = memory.get(siteId);
    const isEnough = listed && (listed.timezone !== undefined || !this.#areDetailsOld(siteId));
    return isEnough ? listed : this.#readDetails(siteId, signal);
  }

  /** The sites of the last list before this start, whatever nodes have read since; with an id, that site. */
  async before(siteId: string | undefined): Promise<readonly KnownSite[]> {
    const { listedBefore } = await this.#memory.load();
    return siteId === undefined ? listedBefore : listedBefore.filter((site) => site.siteId === siteId);
  }

  /** The sites of the last list or, with an id, that site, if it is known. */
  async remembered(siteId: string | undefined): Promise<readonly KnownSite[]> {
    const memory = await this.#memory.load();
    if (siteId === undefined) return memory.listed;
    const site = memory.get(siteId);
    if (!site) return [];
    // A node that reads its only system has to find out in time that there is another.
    this.#renew(siteId);
    return [site];
  }

  /**
   * Learns from a list of all sites that a node has read. Resolves to what is known of each site, once, in its order.
   * @param requestedAt on the monotonic clock
   */
  async note(sites: readonly Site[], requestedAt: number): Promise<readonly KnownSite[]> {
    const listed = await (await this.#memory.load()).note(sites, timeAt(requestedAt, this.#client.clock));
    this.#failure = undefined;
    this.#nextListAt = systemClock.monotonic() + CURRENT;
    return listed;
  }

  /** Resolves once everything is stored that can be. */
  async flush(): Promise<void> {
    await this.#memory.stored?.flush();
  }

  /** A system that was added or replaced shows in the next answer: in a list, or where lists do not show it, in the details. */
  #renew(siteId: string): void {
    if (this.#isListCurrent) return this.#renewDetails(siteId);
    void this.#refresh().then(
      () => this.#renewDetails(siteId),
      () => undefined,
    );
  }

  #renewDetails(siteId: string): void {
    const isDetailed = this.#memory.get(siteId)?.isDetailed === true;
    if (isDetailed && this.#areDetailsOld(siteId)) void this.#readDetails(siteId).catch(() => undefined);
  }

  /** No run waits long for it, or fails for it. */
  async #refreshSoon(signal: AbortSignal | undefined): Promise<void> {
    await withSignal([signal], () => this.#refresh(), { ms: PATIENCE }).catch(() => undefined);
    if (signal?.aborted) throw new AbortedError();
  }

  /** Reads the list unless it is current, or failed a short while ago. Rejects with AbortedError only. */
  async #refresh(signal?: AbortSignal): Promise<void> {
    if (this.#isListCurrent) return;
    await this.#lists.run("", (abandoned) => this.#readList(abandoned), signal);
  }

  async #readList(signal: AbortSignal): Promise<void> {
    const requestedAt = this.#client.clock.monotonic();
    try {
      await this.note(await this.#client.sites({ pc1: this.#pc1, signal }), requestedAt);
    } catch (error) {
      if (error instanceof AbortedError) throw error;
      this.#failure = error;
      this.#nextListAt = systemClock.monotonic() + RETRY;
    }
  }

  /** Rejects with the service's error only if nothing is known of the site. */
  #readDetails(siteId: string, signal?: AbortSignal): Promise<KnownSite> {
    const memory = this.#memory;
    const read = async (abandoned: AbortSignal): Promise<KnownSite> => {
      const requestedAt = this.#client.clock.monotonic();
      setNewest(this.#detailsReadAt, siteId, systemClock.monotonic(), MAX_DETAILED);
      try {
        const details = await this.#detailsOf(siteId, abandoned);
        return memory.learn(details, false, timeAt(requestedAt, this.#client.clock));
      } catch (error) {
        const known = memory.get(siteId);
        if (!known || error instanceof AbortedError) throw error;
        return known;
      }
    };
    return this.#details.run(siteId, read, signal);
  }

  /** A site as its details show it; without systems only if that is sure. */
  async #detailsOf(siteId: string, signal: AbortSignal): Promise<KnownSite> {
    const options = { pc1: this.#pc1, signal };
    const details = await unlessRefused(this.#client.site(siteId, options));
    const shown = details ? { ...shownSite(details), siteId } : { siteId, systems: [] };
    if (shown.systems.length > 0 || this.#memory.get(siteId)) return shown;
    const [unreadable] = details ? unreadableSystemsOf(details) : [];
    if (unreadable) throw new ResponseError(unreadable.fault);
    const failure = this.#failure;
    if (failure !== undefined && !isRefusal(failure)) throw failure;
    // A site that the service refuses altogether is none.
    const now = this.#client.clock.now();
    const query = { siteId, ...isoRange({ start: now - REACH, end: now }) };
    if (!details) await this.#client.telemetry(query, options);
    return shown;
  }

  /** Also if it failed a short while ago: then it is not due yet. */
  get #isListCurrent(): boolean {
    return systemClock.monotonic() < this.#nextListAt;
  }

  #areDetailsOld(siteId: string): boolean {
    return systemClock.monotonic() - (this.#detailsReadAt.get(siteId) ?? Number.NEGATIVE_INFINITY) >= CURRENT;
  }
}

function systemIn(site: KnownSite | undefined, systemId: string | undefined): KnownSystem | undefined {
  return site?.systems.find((system) => system.systemId === systemId);
}

function onlySystem(site: KnownSite): ResolvedSeries {
  const { siteId, systems } = site;
  const systemIds = systems.flatMap(({ systemId }) => systemId ?? []);
  if (systems.length > 1 && systemIds.length > 0) throw new SystemRequiredError(siteId, systemIds);
  // Of several without an id, none is known.
  return seriesOf(siteId, systems[0]?.systemId, systems.length > 1 ? { ...site, systems: [] } : site);
}

/** Of a system that a node names: it is that one, even if nothing is known of it. */
function seriesOf(siteId: string, systemId: string | undefined, site: KnownSite | undefined) {
  const { generation, since, name } = systemIn(site, systemId) ?? {};
  const names = defined({ siteName: site?.name, systemName: name });
  return { siteId, systemId, generation, names, since };
}
