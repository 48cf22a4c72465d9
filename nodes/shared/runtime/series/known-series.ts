// The series that a node addresses: one, or with `*` those that the service lists, or listed when it last could.
import type { NodeMessage } from "node-red";
import { setNewest } from "../../../../src/bounded-map";
import { EnergyError, unlessRefused } from "../../../../src/errors";
import { inTurns } from "../../../../src/loop-turns";
import { addressId, type SeriesAddress } from "../../../../src/series/identity";
import { hasId, type KnownSite, type KnownSystem } from "../../../../src/series/site-memory";
import { ALL } from "../../../../src/settings/rules";
import type { Run } from "../service/service-node";

export interface SeriesList {
  /** Each once, in the order of the service's list; with its system, if that is known. */
  readonly addresses: readonly SeriesAddress[];
  /** Listed at some time since this node started, or before, and no longer: those that vanished last, if there are many. */
  readonly vanished?: readonly SeriesAddress[];
  /** What was selected with `*`: all series that there are, however many. Absent for a single one. */
  readonly selection?: SeriesAddress;
  /** Whether there are only systems that cannot have a meter. */
  readonly isUnmetered?: boolean;
  /** Why there is no current list; the addresses are those of the last one. */
  readonly error?: EnergyError;
}

/** How many lists to remember: a message may name the site whose systems are listed. */
const MAX_LISTS = 100;
/** Per list: each run reports them all. */
const MAX_VANISHED = 1000;

/** A site whose local days are to be read, once an answer of the service has settled which day it is. Rejects with the service's error. */
export async function siteInTime(
  run: Run,
  siteId: string,
  pc1 = false,
  signal = run.signal,
): Promise<KnownSite> {
  const book = await run.account().book(pc1);
  const site = await book.site(siteId, { signal });
  if (!run.clock.isSure) await unlessRefused((await run.service()).site(siteId, { signal, pc1 }));
  return site;
}

export class KnownSeries {
  readonly #select: (message: NodeMessage) => Promise<SeriesAddress>;
  readonly #pc1: boolean;
  /** The last ones with `*`, by account and selection. */
  readonly #lists = new Map<string, SeriesList>();

  /**
   * @param select what a message addresses, where either id may be `*`. Rejects with InputError or ConfigError
   * @param pc1 for revenue-grade meters: requests show PC1 systems even if the account did not opt in to them, and systems that
   * cannot have a meter are left out (service interface 4.5)
   */
  constructor(select: (message: NodeMessage) => Promise<SeriesAddress>, pc1: boolean) {
    this.#select = select;
    this.#pc1 = pc1;
  }

  /** Rejects like `select`, or with the service's error if nothing is known yet. */
  async list(run: Run): Promise<SeriesList> {
    const selection = await this.#select(run.message);
    if (!isMany(selection)) return { addresses: [await this.#knownAddress(run, selection)] };
    const last = await this.#last(run, selection);
    const list = await this.#read(run, selection, last).catch((error: unknown) => {
      if (last.addresses.length === 0 || run.signal.aborted || !(error instanceof EnergyError)) throw error;
      return { ...last, error };
    });
    setNewest(this.#lists, listKey(run, selection), list, MAX_LISTS);
    return list;
  }

  /** What the run addresses, or did when the service last said so: nothing for a wrong selection. Never rejects. */
  async lastKnown(run: Run): Promise<SeriesList> {
    try {
      const selection = await this.#select(run.message);
      if (isMany(selection)) return await this.#last(run, selection);
      return { addresses: [await this.#knownAddress(run, selection).catch(() => selection)] };
    } catch {
      return { addresses: [] };
    }
  }

  /** The last list of this node, else what the account remembers, even after a restart: empty if that is nothing. */
  async #last(run: Run, selection: SeriesAddress): Promise<SeriesList> {
    const last = this.#lists.get(listKey(run, selection));
    if (last) return last;
    const siteId = selection.siteId === ALL ? undefined : selection.siteId;
    const book = await run.account().book(this.#pc1);
    const known = await listed(await book.remembered(siteId), selection, this.#pc1);
    // Another node may have read a list without them since.
    const { addresses } = await listed(await book.before(siteId), selection, this.#pc1);
    return { ...known, vanished: missingIn(known, addresses) };
  }

  async #read(run: Run, selection: SeriesAddress, last: SeriesList): Promise<SeriesList> {
    const sites = await this.#sites(run, selection.siteId);
    const list = await listed(sites, selection, this.#pc1);
    return { ...list, vanished: missingIn(list, [...(last.vanished ?? []), ...last.addresses]) };
  }

  async #sites(run: Run, siteId: string): Promise<readonly KnownSite[]> {
    const { signal, reportUnreadable: onUnreadable } = run;
    const book = await run.account().book(this.#pc1);
    if (siteId !== ALL) return [await book.systems(siteId, { signal, isKept: false })];
    const service = await run.service();
    const requestedAt = run.clock.monotonic();
    const sites = await service.sites({ signal, pc1: this.#pc1, onUnreadable });
    return book.note(sites, requestedAt);
  }

  /** With the system that the address stands for, if that is remembered. */
  async #knownAddress(run: Run, { siteId, systemId }: SeriesAddress): Promise<SeriesAddress> {
    const book = await run.account().book(this.#pc1);
    const [site] = await book.remembered(siteId);
    const only = site?.systems.length === 1 ? site.systems[0]?.systemId : undefined;
    return { siteId, systemId: systemId ?? only };
  }
}

/** The series of sites that a selection with `*` means. */
async function listed(
  sites: readonly KnownSite[],
  selection: SeriesAddress,
  pc1: boolean,
): Promise<SeriesList> {
  const { siteId, systemId } = selection;
  const addresses: SeriesAddress[] = [];
  // All sites means all their systems.
  const named = siteId === ALL && systemId === undefined ? ALL : systemId;
  await inTurns(sites, (site) => void addresses.push(...addressesIn(site, named, pc1)));
  return { addresses, selection, isUnmetered: addresses.length === 0 && sites.length > 0 };
}

/** Of what was listed before, what is no longer. A site may show its systems only now. */
function missingIn({ addresses }: SeriesList, before: readonly SeriesAddress[]): SeriesAddress[] {
  const sites = new Set(addresses.map(({ siteId }) => siteId));
  const current = new Set(addresses.map(addressId));
  const isCurrent = (one: SeriesAddress): boolean =>
    one.systemId === undefined ? sites.has(one.siteId) : current.has(addressId(one));
  return before.filter((one) => !isCurrent(one)).slice(-MAX_VANISHED);
}

function listKey(run: Run, { siteId, systemId }: SeriesAddress): string {
  return JSON.stringify([run.account().accountId, siteId, systemId]);
}

function isMany({ siteId, systemId }: SeriesAddress): boolean {
  return siteId === ALL || systemId === ALL;
}

/**
 * If no system has an id, the site's records are read as a whole.
 * @param pc1 leaves out PC2 systems, which have no meter (service interface 4.5)
 */
export function addressesIn(
  { siteId, systems }: KnownSite,
  systemId: string | undefined,
  pc1 = false,
): SeriesAddress[] {
  const all: readonly KnownSystem[] = systems.length === 1 || systems.some(hasId) ? systems : [{}];
  const read =
    systemId === ALL ? all : [{ ...systems.find((system) => system.systemId === systemId), systemId }];
  const metered = pc1 ? read.filter((system) => system.generation !== "PC2") : read;
  return metered.map((system) => ({ siteId, systemId: system.systemId }));
}
