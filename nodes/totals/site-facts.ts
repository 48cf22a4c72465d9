// What totals need to know of a site: its time zone, and what equipment its systems have. Kept for a while, so that a run costs no request for it.
import { setNewest } from "../../src/bounded-map";
import { systemClock } from "../../src/clock";
import { inTurns } from "../../src/loop-turns";
import { isServiceObject } from "../../src/models/service-object";
import { generationOf, type Site, siteIdOf, type System, systemIdOf, systemsOf } from "../../src/models/site";
import type { SeriesAddress } from "../../src/series/identity";
import { SingleFlight } from "../../src/single-flight";
import { HOUR } from "../../src/time-units";
import type { Equipment, Group } from "../../src/totals/balance";
import type { Quality } from "../../src/totals/payload";
import type { Run } from "../shared/runtime/service/service-node";

export interface SystemFacts {
  readonly timezone: unknown;
  readonly equipment: Equipment;
  /** Groups that the capabilities say are there. */
  readonly present: readonly Group[];
  readonly basis: Quality["basis"];
}

interface SiteFacts {
  readonly timezone: unknown;
  readonly systems: ReadonlyMap<string | undefined, Omit<SystemFacts, "timezone">>;
  /** On the monotonic clock. */
  readonly readAt: number;
}

const MAX_SITES = 20_000;
const MAX_AGE = 6 * HOUR;

export class SiteFactsBook {
  readonly #sites = new Map<string, SiteFacts>();
  readonly #reads = new SingleFlight<void>();
  /** When the list was last asked for. */
  #listedAt = Number.NEGATIVE_INFINITY;

  /**
   * Rejects with the service's error if nothing is known yet.
   * @param isFleet whether many sites are read, so that one list costs less than their details
   */
  async of(run: Run, { siteId, systemId }: SeriesAddress, isFleet: boolean): Promise<SystemFacts> {
    const isStale = (): boolean => (this.#sites.get(siteId)?.readAt ?? -Infinity) < ageLimit();
    try {
      if (isStale() && isFleet && this.#listedAt < ageLimit())
        await this.#reads.run("list", () => this.#readList(run));
      if (isStale()) await this.#reads.run(siteId, () => this.#readSite(run, siteId));
    } catch (error) {
      if (!this.#sites.has(siteId) || run.signal.aborted) throw error;
    }
    const { timezone, systems = new Map() } = this.#sites.get(siteId) ?? {};
    const [only, ...others] = systems.values();
    const facts = systems.get(systemId) ?? (others.length === 0 ? only : undefined);
    return { timezone, ...(facts ?? systemFacts(undefined)) };
  }

  async #readList(run: Run): Promise<void> {
    const sites = await (await run.service()).sites({ signal: run.signal });
    this.#listedAt = systemClock.monotonic();
    // What the list does not show of a site, its details do.
    await inTurns(sites, (site) => site.timezone !== undefined && this.#note(siteIdOf(site), site));
  }

  async #readSite(run: Run, siteId: string): Promise<void> {
    this.#note(siteId, await (await run.service()).site(siteId, { signal: run.signal }));
  }

  #note(siteId: string, site: Site): void {
    const { timezone } = site;
    const systems = new Map(systemsOf(site).map((system) => [systemIdOf(system), systemFacts(system)]));
    setNewest(this.#sites, siteId, { timezone, systems, readAt: systemClock.monotonic() }, MAX_SITES);
  }
}

function ageLimit(): number {
  return systemClock.monotonic() - MAX_AGE;
}

/** Equipment that the capabilities do not list is absent; without capabilities, nothing is known (service interface 2.3). */
function systemFacts(system: System | undefined): Omit<SystemFacts, "timezone"> {
  const capabilities = system?.capabilities;
  const generation = system && generationOf(system);
  const basis = generation === "PC1" ? "mixed" : generation === "PC2" ? "ac" : null;
  if (!isServiceObject(capabilities))
    return { equipment: { absent: new Set(), isSolarUnmeasured: false }, present: [], basis };
  const has = (group: "solar" | "storage"): boolean => isServiceObject(capabilities[group]);
  const isSolarUnmeasured = has("solar") && capabilities.solar?.inverterType === "THIRD_PARTY";
  const groups = ["solar", "storage"] as const;
  return {
    equipment: { absent: new Set(groups.filter((group) => !has(group))), isSolarUnmeasured },
    present: groups.filter((group) => has(group) && !(group === "solar" && isSolarUnmeasured)),
    basis,
  };
}
