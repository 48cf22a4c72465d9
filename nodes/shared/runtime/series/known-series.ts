// The series that a node addresses: one, or with `*` those that the service lists, or listed when it last could.
import type { Node, NodeAPI } from "node-red";
import { setNewest } from "../../../../src/bounded-map";
import { EnergyError } from "../../../../src/errors";
import { type SeriesAddress, seriesId } from "../../../../src/series/identity";
import { matches, optional, readerOf } from "../../../../src/models/shape";
import { type Site, siteIdOf, systemIdsOf } from "../../../../src/models/site";
import { Reported } from "../../../../src/bounded-map";
import { isId } from "../../../../src/settings/rules";
import type { StateStore } from "../../../../src/stored-state";
import { accountKey } from "../service/account";
import { inTurns } from "../../../../src/loop-turns";
import { fileStorage } from "../state/storage";
import { unreadableSites } from "../service/unreadable";
import { ALL, selectionOf, type SystemSettings } from "./selection";
import type { Run } from "../service/service-node";

const readAddresses = readerOf((stored): stored is SeriesAddress[] =>
  matches(stored, [{ siteId: isId, systemId: optional(isId) }]),
);

export interface SeriesList {
  /** Each once, in the order of the service's list. */
  readonly addresses: readonly SeriesAddress[];
  /** Listed at some time since this node started, or in its last list before, and no longer: those that vanished last, if there are many. */
  readonly vanished: readonly SeriesAddress[];
  /** Why there is no current list; the addresses are those of the last one. */
  readonly error?: EnergyError;
  /** Whether the error, or one since the last current list, was reported. */
  wasReported: boolean;
}

/** What a run addresses, as far as it is known without asking the service. */
export type LastKnownSeries = Pick<SeriesList, "addresses" | "vanished">;

/** How many lists to remember: a message may name the site whose systems are listed. */
const MAX_LISTS = 100;
/** Per list: each run reports them all. */
const MAX_VANISHED = 1000;

export class KnownSeries {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #settings: SystemSettings;
  /** By selection, with the account that each list is from. */
  readonly #lists = new Map<string, { account: string; list: SeriesList }>();
  readonly #reported = new Reported();

  constructor(RED: NodeAPI, node: Node, settings: SystemSettings) {
    this.#RED = RED;
    this.#node = node;
    this.#settings = settings;
  }

  /** Rejects with InputError or ConfigError for a wrong selection, or with the service's error if nothing is known yet. */
  async list(run: Run, pc1 = false): Promise<SeriesList> {
    const selection = await selectionOf(this.#RED, this.#node, this.#settings, run.message);
    if (!Object.values(selection).includes(ALL)) return listOf([selection]);
    const account = accountKey(run.account());
    const key = JSON.stringify([selection, pc1]);
    const last = await this.#last(account, key, selection);
    const list = await this.#read(run, selection, pc1, last);
    const isSame = JSON.stringify(list.addresses) === JSON.stringify(last?.addresses);
    // What cannot be stored is listed again after a restart.
    if (!list.error && !isSame)
      await this.#store(account, key, selection)
        ?.save([...list.addresses])
        .catch(() => undefined);
    setNewest(this.#lists, key, { account, list }, MAX_LISTS);
    return list;
  }

  /** What the run addresses, or did when the service last said so. Throws InputError or ConfigError for a wrong selection. */
  async lastKnown(run: Run): Promise<LastKnownSeries> {
    const selection = await selectionOf(this.#RED, this.#node, this.#settings, run.message);
    if (!Object.values(selection).includes(ALL)) return listOf([selection]);
    const key = JSON.stringify([selection, false]);
    const known = this.#lists.get(key)?.list;
    return known ?? (await this.#last(accountKey(run.account()), key, selection)) ?? listOf([]);
  }

  /** The last list of the account, if there was one, even before a restart. */
  async #last(account: string, key: string, selection: SeriesAddress): Promise<SeriesList | undefined> {
    const last = this.#lists.get(key);
    if (last) return last.account === account ? last.list : undefined;
    const addresses = await this.#store(account, key, selection)
      ?.load()
      .catch(() => undefined);
    return addresses && listOf(addresses);
  }

  /**
   * Keeps a list across restarts, so that one that fails right after a restart does not stop the node: if the node's own
   * settings name the site, because messages may name any number of them, and each would leave a file.
   */
  #store(
    accountId: string,
    systemsOf: string,
    { siteId }: SeriesAddress,
  ): StateStore<SeriesAddress[]> | undefined {
    const isOfNode =
      siteId === ALL || (this.#settings.siteIdType !== "msg" && Boolean(this.#settings.siteId));
    // Without a user directory they last as long as the node.
    if (!isOfNode || !this.#RED.settings.userDir) return undefined;
    return fileStorage(this.#RED, this.#node)({ accountId, systemsOf }, { read: readAddresses });
  }

  async #read(
    run: Run,
    selection: SeriesAddress,
    pc1: boolean,
    last: SeriesList | undefined,
  ): Promise<SeriesList> {
    try {
      const listed = await listedSeries(run, selection, pc1, this.#reported);
      const gone: SeriesAddress[] = [];
      await inTurns([...(last?.vanished ?? []), ...(last?.addresses ?? [])], (known) => {
        const id = idOf(known);
        // The addresses of thousands of systems are in memory once.
        if (listed.has(id)) listed.set(id, known);
        else gone.push(known);
      });
      return listOf([...listed.values()], gone.slice(-MAX_VANISHED));
    } catch (error) {
      if (!last || run.signal.aborted || !(error instanceof EnergyError)) throw error;
      return { ...last, error };
    }
  }
}

function listOf(addresses: readonly SeriesAddress[], vanished: readonly SeriesAddress[] = []): SeriesList {
  return { addresses, vanished, wasReported: false };
}

async function listedSeries(
  run: Run,
  { siteId, systemId }: SeriesAddress,
  pc1: boolean,
  reported: Reported,
): Promise<Map<string, SeriesAddress>> {
  const options = { signal: run.signal, pc1, onUnreadable: unreadableSites(run, reported) };
  const service = await run.service();
  const sites = siteId === ALL ? await service.sites(options) : [await service.site(siteId, options)];
  const listed = new Map<string, SeriesAddress>();
  await inTurns(sites, (site) => {
    const id = siteId === ALL ? siteIdOf(site) : siteId;
    const systemIds = systemId === ALL ? everySystemOf(site) : [systemId];
    for (const system of systemIds) {
      const address = { siteId: id, systemId: system };
      listed.set(idOf(address), address);
    }
  });
  return listed;
}

/** If no system has an id, the site's records are read as a whole; a site without systems has no series. */
function everySystemOf(site: Site): (string | undefined)[] {
  const ids = systemIdsOf(site);
  const isUnnamed = ids.length === 0 && (!Array.isArray(site.systems) || site.systems.length > 0);
  return isUnnamed ? [undefined] : ids;
}

function idOf(address: SeriesAddress): string {
  return seriesId(address, "telemetry");
}
