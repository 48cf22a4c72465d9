// Looks up systems in the site list, cached for an hour, so that one request serves all nodes of an account.
import type { Site } from "../models/site";
import { generationOf, siteIdOf, systemIdOf, systemsOf } from "../models/site-reader";
import { withSignal } from "../waiting";
import type { ServiceClient } from "./service-client";

const CACHE_MS = 60 * 60_000;
/** How long to wait after a failed request. */
const RETRY_MS = 5 * 60_000;
/** How long a caller waits for a slow request; until it finishes, nothing is known. */
const MAX_WAIT_MS = 3000;

/** One per account. */
export class SiteDirectory {
  readonly #client: Pick<ServiceClient, "sites">;
  #sites: Promise<Site[]> | undefined;
  #expiresAt = 0;
  #isLoaded = false;

  constructor(client: Pick<ServiceClient, "sites">) {
    this.#client = client;
  }

  /** The generation of a system, or of a site's only system; undefined if unknown. Never rejects. */
  async generationOf(siteId: string, systemId?: string): Promise<string | undefined> {
    const site = (await this.#known()).find((listed) => siteIdOf(listed) === siteId);
    const systems = site ? systemsOf(site) : [];
    const system =
      systemId === undefined ? systems[0] : systems.find((listed) => systemIdOf(listed) === systemId);
    return system && (systemId !== undefined || systems.length === 1) ? generationOf(system) : undefined;
  }

  async #known(): Promise<Site[]> {
    const list = this.#list();
    if (this.#isLoaded) return list;
    return withSignal([], () => list, { ms: MAX_WAIT_MS }).catch(() => []);
  }

  #list(): Promise<Site[]> {
    const now = performance.now();
    if (!this.#sites || now >= this.#expiresAt) {
      this.#expiresAt = now + CACHE_MS;
      this.#isLoaded = false;
      const sites = this.#client.sites().catch(() => {
        this.#expiresAt = performance.now() + RETRY_MS;
        return [];
      });
      this.#sites = sites.finally(() => (this.#isLoaded = true));
    }
    return this.#sites;
  }
}
