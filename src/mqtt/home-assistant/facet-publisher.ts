// Publishes what Home Assistant shows of alerts and of the devices of site info.
import { type AlertNews, type MessageAlert, siteOfAlert } from "../../messages/fact-reader";
import { type Site, siteIdOf } from "../../models/site";
import type { Publication, PublishRule } from "../publications";
import { discoveryMessage, discoveryTopic, ONLINE, publisherMessage } from "./discovery-message";
import { SUBSCRIBE_DELAY } from "./home-assistant";
import type { KnownDevices } from "./known-devices";
import { alertEvent } from "./alerts-messages";
import { Delayed } from "./delayed";
import { chargeUntil } from "./device-facet";
import {
  type Facet,
  facetAddress,
  facetDiscovery,
  facetId,
  type Facets,
  facetState,
  ownerIdOf,
} from "./facet";
import { FacetTable } from "./facet-table";
import { siteDevices } from "./site-devices";

export class FacetPublisher {
  readonly #rule: PublishRule;
  readonly #table: FacetTable;
  /** The discovery messages sent, by facet id. */
  readonly #announced = new Map<string, string>();
  /** The ids of facets whose state is repeated. */
  readonly #repeated = new Delayed<string>(SUBSCRIBE_DELAY);
  /** Events that wait until Home Assistant has subscribed to their topics. */
  readonly #events = new Delayed<Publication>(SUBSCRIBE_DELAY);
  #lastEvent = 0;
  /** When the charge of a battery becomes unknown, by facet id, in milliseconds. */
  readonly #charges = new Map<string, number>();

  /** `facets` as stored; `devices` are those whose readings Home Assistant shows. `now` in milliseconds. */
  constructor(rule: PublishRule, facets: Facets, devices: () => KnownDevices, now: number) {
    this.#rule = rule;
    this.#table = new FacetTable(rule.prefix, facets, devices);
    for (const facet of facets.values()) this.#noteCharge(facet, now);
  }

  /** The facets to store; one that has changed is a new object. */
  get facets(): Facets {
    return this.#table.facets;
  }

  /** The ids of the devices that Home Assistant shows something of. */
  get deviceIds(): string[] {
    return [...this.facets.values()].map((facet) => ownerIdOf(this.#rule.prefix, facet));
  }

  /** The messages for a change of an alert, or for a list of alerts. `now` in milliseconds. */
  updateAlerts(news: AlertNews, now: number): Publication[] {
    const before = this.facets.size;
    const messages = news.change === undefined ? this.#updateList(news, now) : this.#updateOne(news, now);
    // A site that is new to Home Assistant may be the one that devices are linked to.
    const isNew = this.facets.size > before;
    return isNew ? [...messages, ...this.refresh(this.#table.siteIds, now)] : messages;
  }

  /** The messages for the details of a site. `now` in milliseconds. */
  updateDevices(site: Site, now: number): Publication[] {
    const facets = siteDevices(site).flatMap(({ profile, values }) => {
      const facet = this.#table.noteDevice({ kind: "device", profile, values, asOf: now });
      return facet ? [[this.#idOf(facet), facet] as const] : [];
    });
    // A device may be listed twice.
    return this.#publish([...new Map(facets).values()], now);
  }

  /** Learns the names of sites. Removes what has been missing from every complete list for long enough from the broker. */
  updateSites(sites: Site[], isComplete: boolean, now: number): Publication[] {
    this.#table.learn(sites);
    const gone = isComplete ? this.#table.removeMissing(sites, now) : [];
    for (const id of gone) {
      this.#announced.delete(id);
      this.#repeated.delete(id);
      this.#charges.delete(id);
    }
    const removed = gone.map((id) => ({ topic: discoveryTopic(this.#rule, id), payload: "", retain: true }));
    return [...removed, ...this.refresh(new Set(sites.map(siteIdOf)), now)];
  }

  /** Announces again what a new name or a new device of a site has changed. `now` in milliseconds. */
  refresh(siteIds: ReadonlySet<string>, now: number): Publication[] {
    const changed = [...this.facets].flatMap(([id, facet]) => {
      const siteId = facetAddress(facet)?.siteId;
      const isConcerned = siteId !== undefined && siteIds.has(siteId) && this.#announced.has(id);
      return isConcerned && this.#isChanged(id, this.#config(facet)) ? [facet] : [];
    });
    return this.#publish(changed, now);
  }

  /** What Home Assistant needs after it starts: everything but events. Devices follow what they may be linked to. */
  birth(now: number): Publication[] {
    this.#announced.clear();
    const all = [...this.facets.values()];
    const [alerts, devices] = ["alerts", "device"].map((kind) => all.filter((facet) => facet.kind === kind));
    return this.#publish([...(alerts ?? []), ...(devices ?? [])], now);
  }

  /** The states that Home Assistant may have missed, those that time has changed, and the events that had to wait. */
  due(now: number): Publication[] {
    const expired = [...this.#charges].filter(([, until]) => until <= now).map(([id]) => id);
    for (const id of expired) this.#charges.delete(id);
    const ids = new Set([...this.#repeated.popDue(now), ...expired]);
    const facets = [...ids].flatMap((id) => this.facets.get(id) ?? []);
    const states = facets.map((facet) => facetState(this.#rule, facet, now));
    return this.#withPublisher([...this.#events.popDue(now), ...states]);
  }

  /** When to call `due` next, in milliseconds; undefined = never. */
  nextDue(): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    for (const at of [this.#repeated.next(), this.#events.next(), ...this.#charges.values()])
      next = Math.min(next, at ?? next);
    return Number.isFinite(next) ? next : undefined;
  }

  #updateOne(news: Extract<AlertNews, { change: string }>, now: number): Publication[] {
    const change = { ...news, siteId: news.siteId ?? siteOfAlert(news.alert) };
    const facet = this.#table.noteAlerts(change, true, now);
    return facet ? this.#publish([facet], now, [alertEvent(this.#rule, change)]) : [];
  }

  /** A list of the account is also about the sites that have no alert in it. */
  #updateList(news: Extract<AlertNews, { change: undefined }>, now: number): Publication[] {
    if (news.siteId !== undefined) {
      const facet = this.#table.noteAlerts(news, true, now);
      return facet ? this.#publish([facet], now) : [];
    }
    const bySite = new Map<string | undefined, MessageAlert[]>();
    for (const siteId of this.#table.siteIds) bySite.set(siteId, []);
    if (this.#table.hasAccount) bySite.set(undefined, []);
    for (const alert of news.open) {
      const siteId = siteOfAlert(alert);
      const ofSite = bySite.get(siteId);
      if (ofSite) ofSite.push(alert);
      else bySite.set(siteId, [alert]);
    }
    const facets = [...bySite].flatMap(
      ([siteId, open]) =>
        this.#table.noteAlerts({ siteId, change: undefined, open }, open.length > 0, now) ?? [],
    );
    return this.#publish(facets, now);
  }

  /** Those whose discovery has changed are announced, then come `events`, unless they have to wait, then the state of all. */
  #publish(facets: readonly Facet[], now: number, events: Publication[] = []): Publication[] {
    const configs = facets.flatMap((facet) => {
      const [id, config] = [this.#idOf(facet), this.#config(facet)];
      if (!this.#isChanged(id, config)) return [];
      this.#announced.set(id, config.payload);
      this.#repeated.set(id, now, id);
      return [config];
    });
    for (const facet of facets) this.#noteCharge(facet, now);
    const states = facets.map((facet) => facetState(this.#rule, facet, now));
    // An event is published only once, so not before Home Assistant has subscribed; nor does one overtake another.
    const mustWait = configs.length > 0 || !this.#events.isEmpty;
    if (!mustWait) return this.#withPublisher([...events, ...states]);
    for (const event of events) this.#events.set(String((this.#lastEvent += 1)), now, event);
    return this.#withPublisher([...configs, ...states]);
  }

  /** Says that Node-RED publishes, before anything else: without records, nobody else does. */
  #withPublisher(publications: Publication[]): Publication[] {
    if (publications.length === 0) return [];
    return [publisherMessage(this.#rule, ONLINE), ...publications];
  }

  #noteCharge(facet: Facet, now: number): void {
    const until = facet.kind === "device" ? chargeUntil(this.#rule, facet) : undefined;
    if (until !== undefined && until > now) this.#charges.set(this.#idOf(facet), until);
    else this.#charges.delete(this.#idOf(facet));
  }

  #isChanged(id: string, config: Publication): boolean {
    return this.#announced.get(id) !== config.payload;
  }

  #config(facet: Facet): Publication {
    return discoveryMessage(this.#rule, facetDiscovery(this.#rule, facet, this.#table.parentId(facet)));
  }

  #idOf(facet: Facet): string {
    return facetId(this.#rule.prefix, facet);
  }
}
