// What the editor lists of an account: its sites, the systems of a site, and the values of a record by their paths.
import { MAX_ID_LENGTH } from "../limits";
import { finiteOf } from "../models/measurements";
import { firstText, isServiceObject, objectOf } from "../models/service-object";
import {
  devicesBySystem,
  generationOf,
  generationsOf,
  hasMeter,
  readableSystemsOf,
  type Site,
  siteIdOf,
  siteNameOf,
  type System,
  systemIdOf,
} from "../models/site";
import { defined } from "../objects";
import { shownName, shownText } from "../shown-text";
import { DERIVED } from "../totals/energies";
import { folded, matcher, type SiteChoice, type SystemChoice, type ValueNow } from "./choices";

const MAX_SITES = 50;
/** More than any site has; telling the meters of far more apart would take seconds. */
const MAX_SYSTEMS = 200;
/** Far more than a record of the service has. */
const MAX_VALUES = 500;
const MAX_LEVELS = 6;
/** A name that can be part of a path. */
const NAME = /^[A-Za-z_$][\w$]{0,63}$/;
const MAX_SHOWN_LENGTH = 80;

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

export type ListedSite = ReturnType<typeof listed>;

/** Sorted by name, and prepared once, so that each search of 10,000 sites takes a few milliseconds. */
export class SiteChoices {
  readonly #byId: ReadonlyMap<string, ListedSite>;

  /**
   * @param sites a site that is listed twice counts once
   * @param isPc1Needed whether the nodes of the account do not see a site because the account did not opt in to PC1
   */
  constructor(sites: readonly Site[], isPc1Needed: (siteId: string) => boolean = () => false) {
    const byId = new Map<string, ListedSite>();
    for (const site of sites) {
      const siteId = siteIdOf(site);
      if (siteId !== "" && !byId.has(siteId)) byId.set(siteId, listed(site, siteId, isPc1Needed(siteId)));
    }
    this.#byId = new Map(
      [...byId].toSorted(([, one], [, other]) => collator.compare(one.order, other.order)),
    );
  }

  get count(): number {
    return this.#byId.size;
  }

  /** The sites whose name, id, city and country contain every word of the search: the first 50 of `total`. */
  search(search: string): { found: ListedSite[]; total: number } {
    const matches = matcher(search.slice(0, MAX_ID_LENGTH));
    const all = [...this.#byId.values()].filter(({ choice }) => matches(choice.searched));
    return { found: all.slice(0, MAX_SITES), total: all.length };
  }

  site(siteId: string): Site | undefined {
    return this.#byId.get(siteId)?.site;
  }

  /** Those of the sites that are listed, in the given order. */
  withIds(siteIds: readonly string[]): SiteChoice[] {
    return [...new Set(siteIds)].flatMap((siteId) => this.#byId.get(siteId)?.choice ?? []);
  }
}

function listed(site: Site, siteId: string, isPc1Needed: boolean) {
  const address = objectOf(site.siteAddress);
  const name = shownName(siteNameOf(site));
  const city = shownName(firstText(address, ["city"]));
  const country = shownName(firstText(address, ["country"]));
  const generations = generationsOf(site).flatMap((generation) => shownName(generation) ?? []);
  const choice: SiteChoice = {
    siteId,
    ...defined({ name, place: city ?? country }),
    generations,
    systemCount: readableSystemsOf(site).length,
    ...(isPc1Needed ? { isPc1Needed } : {}),
    searched: folded([name, siteId, city, country, ...generations].filter(Boolean).join("\n")),
  };
  // By name, and by id for names that are equal.
  return { choice, site, order: `${name ?? ""} ${siteId}`.trim() };
}

/** In the order of the service; a system that is listed twice counts once. Systems without a valid id are left out. */
export function systemChoices(site: Site): SystemChoice[] {
  const devices = devicesBySystem(site);
  const systems = readableSystemsOf(site).slice(0, MAX_SYSTEMS);
  return systems.flatMap((system) => {
    const systemId = systemIdOf(system);
    if (systemId === undefined) return [];
    return defined({
      systemId,
      generation: shownName(generationOf(system)),
      capacity: capabilityOf(system, "storage", "capacityEnergy"),
      solarPower: capabilityOf(system, "solar", "inverterCapacityPower"),
      hasMeter: hasMeter({ ...site, systems: [system] }, systemId, devices.get(systemId)),
    });
  });
}

function capabilityOf({ capabilities }: System, group: string, field: string): number | undefined {
  return finiteOf(objectOf(objectOf(capabilities)[group])[field]) ?? undefined;
}

/** Every value in the groups of the record, in the order of the record, then what is derived from it; null stays null. */
export function valuesOf(record: object): ValueNow[] {
  const derived = [...DERIVED].flatMap(([path, valueOf]) => {
    const value = valueOf({ ...record });
    return value === null ? [] : [{ path, value }];
  });
  return [...valuesIn(record, "", MAX_LEVELS).slice(0, MAX_VALUES), ...derived];
}

/** A number at a path of the record, or derived from it; null for anything else. */
export function numberAt(record: object, path: string): number | null {
  return finiteOf(valuesOf(record).find((one) => one.path === path)?.value);
}

function valuesIn(group: object, path: string, levels: number): ValueNow[] {
  return Object.entries(group).flatMap(([name, value]: [string, unknown]) => {
    if (!NAME.test(name) || Array.isArray(value)) return [];
    if (!isServiceObject(value)) return [{ path: path + name, value: shown(value) }];
    return levels > 1 ? valuesIn(value, `${path}${name}.`, levels - 1) : [];
  });
}

function shown(value: unknown): ValueNow["value"] {
  if (typeof value === "string") return shownText(value, MAX_SHOWN_LENGTH);
  return typeof value === "boolean" ? value : finiteOf(value);
}
