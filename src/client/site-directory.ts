// What the site list says of a system, kept for an hour: it rarely changes, and one request serves all nodes of an account.
import { generationOf, siteIdOf, systemIdOf, systemsOf } from "../models/site-reader";
import type { Site } from "../models/site";
import type { ServiceClient } from "./service-client";

const KEPT_MS = 60 * 60_000;
/** A list that could not be read is asked for again after this long. */
const PAUSE_MS = 5 * 60_000;

export class SiteDirectory {
  #sites: Promise<Site[]> | undefined;
  #readAgain = 0;

  constructor(private readonly client: Pick<ServiceClient, "sites">) {}

  /** The generation of a system, or of the only system of a site; undefined where it is not known. Never rejects. */
  async generationOf(siteId: string, systemId?: string): Promise<string | undefined> {
    const site = (await this.#list()).find((listed) => siteIdOf(listed) === siteId);
    const systems = site ? systemsOf(site) : [];
    const system =
      systemId === undefined ? systems[0] : systems.find((listed) => systemIdOf(listed) === systemId);
    return system && (systemId !== undefined || systems.length === 1) ? generationOf(system) : undefined;
  }

  #list(): Promise<Site[]> {
    const now = performance.now();
    if (!this.#sites || now >= this.#readAgain) {
      this.#readAgain = now + KEPT_MS;
      this.#sites = this.client.sites().catch(() => {
        this.#readAgain = performance.now() + PAUSE_MS;
        return [];
      });
    }
    return this.#sites;
  }
}
