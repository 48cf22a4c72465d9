// What the dialogs of an account's nodes offer to choose from: its sites, their systems, and the values of the newest record.
import { SingleFlight } from "../../../src/single-flight";
import type { SitesAnswer, SystemsAnswer, ValuesAnswer } from "../../../src/choices/choices";
import { valuesOf } from "../../../src/choices/record-values";
import { SiteChoices, systemChoices } from "../../../src/choices/site-choices";
import type { Pc1Mode } from "../../../src/client/connection";
import type { ServiceClient } from "../../../src/client/service-client";
import { latestWindows } from "../../../src/ledger/window";
import { siteIdOf } from "../../../src/models/site";
import { HOUR, MINUTE } from "../../../src/time-units";
import { previewSites } from "./preview-sites";
import { SiteCharges } from "./site-charges";
import { withTimeLimit } from "./time-limit";

/** Several dialogs make one request, and a new site shows soon. */
const LIST_AGE = MINUTE;
/** Names hardly ever change. */
const NAMES_AGE = HOUR;
/** How old the newest record may be, in minutes, for its values to be offered. */
const RECORD_AGE_MINUTES = 24 * 60;

/** One per connection. Keeps no timers. Every method throws like ServiceClient, and EnergyError `noAnswer` after 14 s. */
export class AccountChoices {
  readonly #client: ServiceClient;
  readonly #pc1: Pc1Mode;
  readonly #charges: SiteCharges;
  #known: { sites: SiteChoices; at: number } | undefined;
  readonly #requests = new SingleFlight<SiteChoices>();

  constructor(client: ServiceClient, pc1: Pc1Mode) {
    this.#client = client;
    this.#pc1 = pc1;
    this.#charges = new SiteCharges(client);
  }

  /** The sites that match, with the charge of the first ones as far as it is known within 1.5 s. */
  async sites(search: string): Promise<SitesAnswer> {
    const sites = await this.#sites(LIST_AGE);
    const { found, total } = sites.search(search);
    const { charges, isPending } = await this.#charges.of(found);
    const choices = found.map(({ choice }) => {
      const charge = charges.get(choice.siteId);
      return charge === undefined ? choice : { ...choice, charge };
    });
    return { sites: choices, total, all: sites.count, ...(isPending ? { pending: true } : {}) };
  }

  /** Those of the sites that the account has, without their charge. The last list will do if there is no newer one. */
  async names(siteIds: readonly string[]): Promise<SitesAnswer> {
    const known = this.#known?.sites;
    const isComplete = known?.withIds(siteIds).length === new Set(siteIds).size;
    const current = this.#sites(isComplete ? NAMES_AGE : LIST_AGE);
    const sites = await (known ? current.catch(() => known) : current);
    const choices = sites.withIds(siteIds);
    return { sites: choices, total: choices.length, all: sites.count };
  }

  /** The systems of a site, whether or not the account opted in to PC1: rgm read can read those of PC1 in any case. */
  async systems(siteId: string, signal: AbortSignal): Promise<SystemsAnswer> {
    const site = await withTimeLimit(signal, (limited) =>
      this.#client.site(siteId, { once: true, pc1: true, signal: limited }),
    );
    return { systems: systemChoices(site) };
  }

  /** The values of the newest record of the last 24 h; none if there is no record. */
  async values(siteId: string, systemId: string | undefined, signal: AbortSignal): Promise<ValuesAnswer> {
    const address = { siteId, ...(systemId === undefined ? {} : { systemId }) };
    return withTimeLimit(signal, async (limited) => {
      for (const { start, end } of latestWindows(this.#client.clock.now(), RECORD_AGE_MINUTES)) {
        const [startTime, endTime] = [new Date(start).toISOString(), new Date(end).toISOString()];
        const query = { ...address, startTime, endTime };
        const { records } = await this.#client.telemetry(query, { once: true, signal: limited });
        const newest = records.at(-1);
        if (newest) return { values: valuesOf(newest.record), endTime: new Date(newest.end).toISOString() };
      }
      return { values: [] };
    });
  }

  async #sites(maxAge: number): Promise<SiteChoices> {
    const { sites, at } = this.#known ?? {};
    if (sites && at !== undefined && performance.now() - at < maxAge) return sites;
    // Not aborted with the dialog that asked first: others may wait for it, too.
    return this.#requests.run("sites", () => withTimeLimit(undefined, (signal) => this.#read(signal)));
  }

  async #read(signal: AbortSignal): Promise<SiteChoices> {
    const sites = await this.#readChoices(signal);
    this.#known = { sites, at: performance.now() };
    return sites;
  }

  /** Without PC1, a second list tells which sites need it. */
  async #readChoices(signal: AbortSignal): Promise<SiteChoices> {
    const options = { once: true, signal };
    if (this.#pc1 !== "off") return new SiteChoices(await this.#client.sites(options));
    const everything = previewSites(this.#client, signal);
    const visible = await this.#client.sites(options);
    const visibleIds = new Set(visible.map(siteIdOf));
    return new SiteChoices([...visible, ...(await everything)], (siteId) => !visibleIds.has(siteId));
  }
}
