// The series that a node addresses: one, or with `*` those that the service lists, or listed when it last could.
import type { Node, NodeAPI } from "node-red";
import { Reported, setNewest } from "../../../../src/bounded-map";
import { EnergyError } from "../../../../src/errors";
import { inTurns } from "../../../../src/loop-turns";
import { matches, number, optional, readerOf } from "../../../../src/models/shape";
import { type SeriesAddress, seriesId } from "../../../../src/series/identity";
import type { ListedSite } from "../../../../src/series/series-book";
import { isId } from "../../../../src/settings/rules";
import { type StateForm, type StateStore, StoredState } from "../../../../src/stored-state";
import { MINUTE } from "../../../../src/time-units";
import { accountKey } from "../service/account";
import type { Run } from "../service/service-node";
import { unreadableSites } from "../service/unreadable";
import { fileStorage } from "../state/storage";
import { ALL, selectionOf, type SystemSettings } from "./selection";

export interface ListedSeries extends SeriesAddress {
  /** When the last list without it was read, in milliseconds, if it appeared after others. */
  readonly since?: number | undefined;
}

export interface SeriesList {
  /** Each once, in the order of the service's list; with its system, if that is known. */
  readonly addresses: readonly ListedSeries[];
  /** Listed at some time since this node started, or in its last list before, and no longer: those that vanished last, if there are many. */
  readonly vanished: readonly SeriesAddress[];
  /** Whether requests show PC1 systems even if the account did not opt in to them. */
  readonly pc1: boolean;
  /** Whether what its addresses stand for is kept across restarts. */
  readonly isKept: boolean;
  /** Whether there are only systems that cannot have a meter. */
  readonly isUnmetered: boolean;
  /** Why there is no current list; the addresses are those of the last one. */
  readonly error?: EnergyError;
  /** Whether the error, or one since the last current list, was reported. */
  wasReported: boolean;
}

/** What a run addresses, as far as it is known without asking the service. */
export type LastKnownSeries = Pick<SeriesList, "addresses" | "vanished">;

/** What a selection with `*` listed when it was last read. */
interface KnownList {
  list?: SeriesList;
  readonly addresses: StoredState<readonly ListedSeries[]>;
  readonly readAt: StoredState<number>;
}

const ADDRESSES: StateForm<readonly ListedSeries[]> = {
  read: readerOf((stored): stored is ListedSeries[] =>
    matches(stored, [{ siteId: isId, systemId: optional(isId), since: optional(number) }]),
  ),
};
const TIME: StateForm<number> = {
  read: readerOf((stored): stored is number => number(stored)),
};

/** How many lists to remember: a message may name the site whose systems are listed. */
const MAX_LISTS = 100;
/** Per list: each run reports them all. */
const MAX_VANISHED = 1000;
/** How often the time of a list is saved, in milliseconds: after a crash, a series may begin as much earlier. */
const TIME_INTERVAL = 15 * MINUTE;

export class KnownSeries {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #settings: SystemSettings;
  readonly #hasPositions: boolean;
  /** By account and selection. */
  readonly #lists = new Map<string, KnownList>();
  readonly #reported = new Reported();

  /** @param hasPositions whether the node remembers a position in each series: it needs to know since when there is one */
  constructor(RED: NodeAPI, node: Node, settings: SystemSettings, hasPositions: boolean) {
    this.#RED = RED;
    this.#node = node;
    this.#settings = settings;
    this.#hasPositions = hasPositions;
  }

  /**
   * Rejects with InputError or ConfigError for a wrong selection, or with the service's error if nothing is known yet.
   * With `pc1`, for revenue-grade meters, systems that cannot have one are left out (service interface 4.5).
   */
  async list(run: Run, { pc1 = false, isKept = true }: Partial<SeriesList> = {}): Promise<SeriesList> {
    const selection = await this.#selection(run);
    if (!isMany(selection)) return listOf([await knownAddress(run, selection, pc1)], { pc1, isKept });
    const known = await this.#known(run, selection, pc1);
    try {
      const readAt = run.clock.now();
      const list = await this.#read(run, selection, pc1, known);
      // What cannot be stored is listed again after a restart.
      if (!isSame(list, known.list)) await known.addresses.set(list.addresses).catch(() => undefined);
      if (this.#hasPositions) known.readAt.set(readAt, { every: TIME_INTERVAL }).catch(() => undefined);
      known.list = { ...list, isKept };
    } catch (error) {
      if (!known.list || run.signal.aborted || !(error instanceof EnergyError)) throw error;
      known.list = { ...known.list, error };
    }
    return known.list;
  }

  /** What the run addresses, or did when the service last said so. Throws InputError or ConfigError for a wrong selection. */
  async lastKnown(run: Run): Promise<LastKnownSeries> {
    const selection = await this.#selection(run);
    if (!isMany(selection)) return listOf([await knownAddress(run, selection).catch(() => selection)]);
    return (await this.#known(run, selection, false)).list ?? listOf([]);
  }

  /** Never rejects. */
  async flush(): Promise<void> {
    await Promise.allSettled([...this.#lists.values()].map(({ readAt }) => readAt.flush()));
  }

  #selection({ message }: Run): Promise<SeriesAddress> {
    return selectionOf(this.#RED, this.#node, this.#settings, message);
  }

  /** With the last list of the account, if there was one, even before a restart. */
  async #known(run: Run, selection: SeriesAddress, pc1: boolean): Promise<KnownList> {
    const accountId = accountKey(run.account());
    const systemsOf = JSON.stringify([selection, pc1]);
    const key = `${accountId} ${systemsOf}`;
    let known = this.#lists.get(key);
    if (!known) {
      const addresses = new StoredState(this.#store(selection, { accountId, systemsOf }, ADDRESSES));
      const readAt = new StoredState(this.#store(selection, { accountId, listRead: systemsOf }, TIME));
      const stored = await addresses.load().catch(() => undefined);
      await readAt.load().catch(() => undefined);
      known = { addresses, readAt, ...(stored && { list: listOf(stored, { pc1 }) }) };
    }
    setNewest(this.#lists, key, known, MAX_LISTS);
    return known;
  }

  /**
   * Keeps a list across restarts, so that one that fails right after a restart does not stop the node: if the node's own
   * settings name the site, because messages may name any number of them, and each would leave a file.
   */
  #store<State>(
    { siteId }: SeriesAddress,
    key: Readonly<Record<string, string>>,
    form: StateForm<State>,
  ): StateStore<State> | undefined {
    const isOfNode =
      siteId === ALL || (this.#settings.siteIdType !== "msg" && Boolean(this.#settings.siteId));
    // Without a user directory they last as long as the node.
    if (!isOfNode || !this.#RED.settings.userDir) return undefined;
    return fileStorage(this.#RED, this.#node)(key, form);
  }

  async #read(
    run: Run,
    { siteId, systemId }: SeriesAddress,
    pc1: boolean,
    { list: last, readAt: { current: readAt } }: KnownList,
  ): Promise<SeriesList> {
    const options = { signal: run.signal, pc1, onUnreadable: unreadableSites(run, this.#reported) };
    const service = await run.service();
    const isWhole = siteId === ALL;
    const answer = isWhole ? await service.sites(options) : [await service.site(siteId, options)];
    const book = await run.account().book();
    const sites = await book.listed(answer, { pc1, isWhole });
    const listed = new Map<string, ListedSeries>();
    let unmetered = 0;
    await inTurns([...sites.values()], (site) => {
      // All sites means all their systems.
      for (const system of systemsRead(site, isWhole ? (systemId ?? ALL) : systemId)) {
        // A PC2 system has no meter (service interface 4.5).
        const isMetered = !pc1 || system.generation !== "PC2";
        const since = last && readAt !== undefined ? { since: readAt } : {};
        const address = { siteId: site.siteId, systemId: system.systemId, ...since };
        if (isMetered) listed.set(idOf(address), address);
        else unmetered += 1;
      }
    });
    const gone: SeriesAddress[] = [];
    await inTurns([...(last?.vanished ?? []), ...(last?.addresses ?? [])], (known) => {
      const id = idOf(known);
      // The addresses of thousands of systems are in memory once.
      if (listed.has(id)) listed.set(id, known);
      else if (!isShown(sites.get(known.siteId), known)) gone.push(known);
    });
    const isUnmetered = listed.size === 0 && unmetered > 0;
    return listOf([...listed.values()], { vanished: gone.slice(-MAX_VANISHED), pc1, isUnmetered });
  }
}

export function listOf(addresses: readonly ListedSeries[], more: Partial<SeriesList> = {}): SeriesList {
  return {
    addresses,
    vanished: [],
    pc1: false,
    isKept: true,
    isUnmetered: false,
    ...more,
    wasReported: false,
  };
}

function isMany({ siteId, systemId }: SeriesAddress): boolean {
  return siteId === ALL || systemId === ALL;
}

/** With the system that the address stands for, if that is remembered. */
async function knownAddress(run: Run, address: SeriesAddress, pc1 = false): Promise<SeriesAddress> {
  const book = await run.account().book();
  const { siteId, systemId } = (await book.known(address, pc1)) ?? address;
  return { siteId, systemId };
}

function isSame(list: SeriesList, last: SeriesList | undefined): boolean {
  return (
    list.addresses.length === last?.addresses.length &&
    list.addresses.every((address, index) => address === last.addresses[index])
  );
}

/** If no system has an id, the site's records are read as a whole; a site with an empty list of systems has no series. */
function systemsRead(
  { systems, isEmpty }: ListedSite,
  systemId: string | undefined,
): readonly Partial<ListedSite["systems"][number]>[] {
  const named = systems.filter((system) => system.systemId !== undefined);
  const generation = systems.length === 1 ? systems[0]?.generation : undefined;
  if (systemId === ALL) return named.length > 0 || isEmpty ? named : [{ generation }];
  if (systemId === undefined && systems.length === 1) return systems;
  return [{ systemId, generation: systems.find((system) => system.systemId === systemId)?.generation }];
}

/** Whether a site is listed with a system, however the run addresses it. */
function isShown(site: ListedSite | undefined, { systemId }: SeriesAddress): boolean {
  if (!site) return false;
  return systemId === undefined || site.systems.some((system) => system.systemId === systemId);
}

function idOf(address: SeriesAddress): string {
  return seriesId(address, "telemetry");
}
