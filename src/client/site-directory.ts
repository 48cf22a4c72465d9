// What the site list says of a system, kept for an hour: it rarely changes, and one request serves all nodes of an account.
import { generationOf, siteIdOf, systemIdOf, systemsOf } from "../models/site-reader";
import type { Site } from "../models/site";
import type { ServiceClient } from "./service-client";
import { waitFor } from "../waiting";

const KEPT_MS = 60 * 60_000;
/** A list that could not be read is asked for again after this long. */
const PAUSE_MS = 5 * 60_000;
/** Nobody is held up longer for a list that is slow. */
const PATIENCE_MS = 3000;

export class SiteDirectory {
  #sites: Promise<Site[]> | undefined;
  #readAgain = 0;
  #isRead = false;

  constructor(private readonly client: Pick<ServiceClient, "sites">) {}

  /** The generation of a system, or of the only system of a site; undefined where it is not known. Never rejects. */
  async generationOf(siteId: string, systemId?: string): Promise<string | undefined> {
    const site = (await this.#known()).find((listed) => siteIdOf(listed) === siteId);
    const systems = site ? systemsOf(site) : [];
    const system =
      systemId === undefined ? systems[0] : systems.find((listed) => systemIdOf(listed) === systemId);
    return system && (systemId !== undefined || systems.length === 1) ? generationOf(system) : undefined;
  }

  async #known(): Promise<Site[]> {
    const list = this.#list();
    if (this.#isRead) return list;
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), PATIENCE_MS);
    return waitFor(list, waiting.signal)
      .catch(() => [])
      .finally(() => clearTimeout(timer));
  }

  #list(): Promise<Site[]> {
    const now = performance.now();
    if (!this.#sites || now >= this.#readAgain) {
      this.#readAgain = now + KEPT_MS;
      this.#isRead = false;
      const sites = this.client.sites().catch(() => {
        this.#readAgain = performance.now() + PAUSE_MS;
        return [];
      });
      this.#sites = sites.finally(() => (this.#isRead = true));
    }
    return this.#sites;
  }
}
