// The table of known facets: what alerts, the details of sites and site lists reveal about them.
import { MAX_DEVICES } from "../../limits";
import type { AlertNews } from "../../messages/fact-reader";
import type { Site } from "../../models/site";
import { countAbsence, isGone, listedIn } from "./absence";
import { deviceId } from "./device-id";
import type { KnownDevices } from "./known-devices";
import { SiteFacts } from "./site-facts";
import { type AlertsFacet, alertsId } from "./alerts-facet";
import { type DeviceFacet, mergedDevice } from "./device-facet";
import { type Facet, facetAddress, facetId, type Facets } from "./facet";
import { openAfter } from "./open-alert";

/** Before the first message. */
const NO_ALERTS: Pick<AlertsFacet, "open" | "siteName" | "absence"> = { open: [] };

export class FacetTable {
  readonly #prefix: string;
  readonly #devices: () => KnownDevices;
  readonly #names = new SiteFacts();
  readonly #facets: Map<string, Facet>;

  /** `facets` as stored; `devices` are those whose readings Home Assistant shows. */
  constructor(prefix: string, facets: Facets, devices: () => KnownDevices) {
    this.#prefix = prefix;
    this.#facets = new Map(facets);
    this.#devices = devices;
  }

  /** A facet that has changed is a new object. */
  get facets(): Facets {
    return this.#facets;
  }

  /** The sites that anything is known about. */
  get siteIds(): Set<string> {
    const ofFacets = [...this.#facets.values()].flatMap((facet) => facetAddress(facet)?.siteId ?? []);
    return new Set([...[...this.#devices().values()].map(({ profile }) => profile.siteId), ...ofFacets]);
  }

  /** Whether there are alerts that name no site. */
  get hasAccount(): boolean {
    return this.#facets.has(alertsId(this.#prefix, undefined));
  }

  /**
   * Notes the alerts of a site or of the account. `now` in milliseconds.
   * Undefined for a new one if there are too many.
   * @param isSeen whether the news show that the site exists
   */
  noteAlerts(news: AlertNews, isSeen: boolean, now: number): AlertsFacet | undefined {
    const { siteId } = news;
    const known = this.#facets.get(alertsId(this.#prefix, siteId));
    if (!known && this.#isFull) return undefined;
    const { open, siteName: oldName, absence } = known?.kind === "alerts" ? known : NO_ALERTS;
    const siteName = this.#nameOf(siteId) ?? oldName;
    return this.#write({
      kind: "alerts",
      ...(siteId === undefined ? {} : { siteId }),
      ...(siteName === undefined ? {} : { siteName }),
      open: openAfter(open, news),
      asOf: now,
      ...(absence === undefined || isSeen ? {} : { absence }),
    });
  }

  /** Notes a device in the details of a site; undefined if it has never had a value. */
  noteDevice(device: DeviceFacet): DeviceFacet | undefined {
    const known = this.#facets.get(facetId(this.#prefix, device));
    if (!known && this.#isFull) return undefined;
    const merged = mergedDevice(known?.kind === "device" ? known : undefined, device);
    return merged.profile.fields.length === 0 ? undefined : this.#write(merged);
  }

  /** Learns the names of sites, and that they exist. */
  learn(sites: Site[]): void {
    this.#names.learn(sites);
    this.#findListed(sites);
    for (const facet of this.#facets.values()) {
      if (facet.kind !== "alerts") continue;
      const siteName = this.#nameOf(facet.siteId);
      if (siteName !== undefined && siteName !== facet.siteName) this.#write({ ...facet, siteName });
    }
  }

  /** The nearest device that Home Assistant knows: that of the system, else that of the site. */
  parentId(facet: Facet): string | undefined {
    if (facet.kind === "alerts") return undefined;
    const { siteId } = facet.profile;
    const [system, site] = [deviceId(this.#prefix, facet.profile), deviceId(this.#prefix, { siteId })];
    if (this.#devices().has(system)) return system;
    const hasSite = this.#devices().has(site) || this.#facets.has(alertsId(this.#prefix, siteId));
    return hasSite ? site : undefined;
  }

  /**
   * Removes what has been missing from every complete list of sites for long enough, and returns the ids. `now` in
   * milliseconds.
   */
  removeMissing(sites: Site[], now: number): string[] {
    const gone: string[] = [];
    const contains = containing(sites);
    for (const [id, facet] of this.#facets) {
      if (contains(facet)) continue;
      const absence = countAbsence(facet.absence, now);
      if (isGone(absence, now)) gone.push(id);
      else this.#write({ ...facet, absence });
    }
    for (const id of gone) this.#facets.delete(id);
    return gone;
  }

  /** Ends the absence of what a list of sites contains. */
  #findListed(sites: Site[]): void {
    const contains = containing(sites);
    for (const facet of this.#facets.values()) {
      if (!facet.absence || !contains(facet)) continue;
      const { absence: _ended, ...listed } = facet;
      this.#write(listed);
    }
  }

  /** As the device is named by its readings. */
  #nameOf(siteId: string | undefined): string | undefined {
    if (siteId === undefined) return undefined;
    const device = this.#devices().get(deviceId(this.#prefix, { siteId }));
    return this.#names.of({ siteId }).siteName ?? device?.profile.siteName;
  }

  get #isFull(): boolean {
    return this.#facets.size >= MAX_DEVICES;
  }

  #write<One extends Facet>(facet: One): One {
    this.#facets.set(facetId(this.#prefix, facet), facet);
    return facet;
  }
}

/** Tells whether a list of sites contains what a facet belongs to. The account always exists. */
function containing(sites: Site[]): (facet: Facet) => boolean {
  const isListed = listedIn(sites);
  return (facet) => {
    const address = facetAddress(facet);
    return address === undefined || isListed(address);
  };
}
