// Looks up systems in the site list, cached for an hour, so that one request serves all nodes of an account.
import { generationOf, type Site, siteIdOf, systemIdOf, systemsOf } from "../models/site";
import { loopTurns } from "../loop-turns";
import { withSignal } from "../abort";
import { SingleFlight } from "../single-flight";

const CACHE_MS = 60 * 60_000;
/** How long to wait after a failed request. */
const RETRY_MS = 5 * 60_000;
/** How long a caller waits for a slow request; until it finishes, the previous list applies. */
const MAX_WAIT_MS = 3000;

interface SystemAddress {
  siteId: string;
  systemId?: string | undefined;
}

export interface KnownSystem {
  systemId: string | undefined;
  generation: string | undefined;
}

/** One per account. */
export class SiteDirectory {
  readonly #list: CachedList;
  readonly #listWithPc1: CachedList;

  /** @param readSites with or without sites that only the preview API shows */
  constructor(readSites: (pc1: boolean) => Promise<Site[]>) {
    this.#list = new CachedList(() => readSites(false));
    this.#listWithPc1 = new CachedList(() => readSites(true));
  }

  /**
   * The id and the generation of a system, or of a site's only system; undefined as far as unknown. With `pc1`, sites with
   * PC1 systems are known even if the account did not opt in to them. Never rejects.
   */
  async systemOf(
    { siteId, systemId }: SystemAddress,
    { pc1 = false }: { pc1?: boolean } = {},
  ): Promise<KnownSystem> {
    const list = pc1 ? this.#listWithPc1 : this.#list;
    const systems = (await list.systemsBySite()).get(siteId) ?? [];
    const [first, ...others] = systems;
    const only = others.length === 0 ? first : undefined;
    const system = systemId === undefined ? only : systems.find((listed) => listed.systemId === systemId);
    return { systemId: systemId ?? system?.systemId, generation: system?.generation };
  }
}

type SystemsBySite = ReadonlyMap<string | undefined, readonly KnownSystem[]>;

/** Only what is looked up, once for each of thousands of systems. Of a site that is listed twice, the first entry counts. */
function bySite(sites: readonly Site[]): SystemsBySite {
  const systems = (site: Site): KnownSystem[] =>
    systemsOf(site).map((system) => ({ systemId: systemIdOf(system), generation: generationOf(system) }));
  return new Map(sites.toReversed().map((site) => [siteIdOf(site), systems(site)]));
}

class CachedList {
  readonly #read: () => Promise<Site[]>;
  /** The last list that could be read. */
  #known: SystemsBySite = new Map();
  readonly #requests = new SingleFlight<void>();
  #expiresAt = Number.NEGATIVE_INFINITY;

  constructor(read: () => Promise<Site[]>) {
    this.#read = read;
  }

  /** Never rejects. */
  async systemsBySite(): Promise<SystemsBySite> {
    if (performance.now() < this.#expiresAt) return this.#known;
    const refresh = (): Promise<void> => this.#requests.run("sites", () => this.#refresh());
    await withSignal([], refresh, { ms: MAX_WAIT_MS }).catch(() => undefined);
    // Many callers may wait, with a day of records each.
    await loopTurns.next();
    return this.#known;
  }

  async #refresh(): Promise<void> {
    try {
      this.#known = bySite(await this.#read());
      this.#expiresAt = performance.now() + CACHE_MS;
    } catch {
      this.#expiresAt = performance.now() + RETRY_MS;
    }
  }
}
