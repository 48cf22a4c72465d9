// Turns whatever mqtt readings receives into MQTT messages: records, sites, alerts, and the devices of site info.
import type { AlertNews } from "../../messages/fact-reader";
import type { Site } from "../../models/site";
import type { IncomingRecord } from "../publications";
import type { Publication, PublishRule } from "../publications";
import type { Facets } from "./facet";
import { FacetPublisher } from "./facet-publisher";
import type { KnownDevices } from "./known-devices";
import { RecordPublisher } from "./record-publisher";

/** What is stored across restarts. */
export interface KnownHome {
  devices: KnownDevices;
  facets: Facets;
}

export class MessagePublisher {
  readonly #records: RecordPublisher;
  /** Undefined without discovery: only Home Assistant shows them. */
  readonly #facets: FacetPublisher | undefined;

  /** `home` as stored, `now` in milliseconds. */
  constructor(rule: PublishRule, home: KnownHome, now: number) {
    this.#records = new RecordPublisher(rule, home.devices, now);
    this.#facets = rule.discovery
      ? new FacetPublisher(rule, home.facets, () => this.#records.devices, now)
      : undefined;
  }

  /** What to store; an entry that has changed is a new object. */
  get home(): KnownHome {
    return { devices: this.#records.devices, facets: this.#facets?.facets ?? new Map() };
  }

  /** How many devices there are. */
  get deviceCount(): number {
    return new Set([...this.#records.devices.keys(), ...(this.#facets?.deviceIds ?? [])]).size;
  }

  /** The messages for one record. */
  publish(record: IncomingRecord, now: number): Publication[] {
    const before = this.#records.devices.size;
    const messages = this.#records.publish(record, now);
    // A new device may be the one that others are linked to.
    const isKnown = this.#records.devices.size === before;
    return isKnown ? messages : [...messages, ...this.#refresh(record.address.siteId, now)];
  }

  /** The messages for a list of sites. What has been missing from complete lists for long enough leaves the broker. */
  updateSites(sites: Site[], isComplete: boolean, now: number): Publication[] {
    return [
      // A device is removed before the one it is linked to.
      ...(this.#facets?.updateSites(sites, isComplete, now) ?? []),
      ...this.#records.updateSites(sites, isComplete, now),
    ];
  }

  /** The messages for a change of an alert, or for a list of alerts. */
  updateAlerts(news: AlertNews, now: number): Publication[] {
    return this.#facets?.updateAlerts(news, now) ?? [];
  }

  /** The messages for the details of a site. */
  updateDevices(site: Site, now: number): Publication[] {
    return [...this.updateSites([site], false, now), ...(this.#facets?.updateDevices(site, now) ?? [])];
  }

  /** What Home Assistant needs after it starts. */
  birth(now: number): Publication[] {
    return [...this.#records.birth(now), ...(this.#facets?.birth(now) ?? [])];
  }

  /** What is due now, without an incoming message. */
  due(now: number): Publication[] {
    return [...this.#records.due(now), ...(this.#facets?.due(now) ?? [])];
  }

  /** When to call `due` next, in milliseconds; undefined = never. */
  nextDue(): number | undefined {
    const times = [this.#records.nextDue(), this.#facets?.nextDue()].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** What Home Assistant needs to know before publishing ends. */
  farewell(now: number): Publication[] {
    return this.#records.farewell(now);
  }

  #refresh(siteId: string, now: number): Publication[] {
    return this.#facets?.refresh(new Set([siteId]), now) ?? [];
  }
}
