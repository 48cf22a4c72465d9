// Turns records and site lists into MQTT messages, and keeps track of the devices.
import { type Counters, checkCounters } from "./counter-guard";
import { type Device, DeviceTable } from "./device-table";
import { ENTITIES, entityKey, entityValue } from "./entities";
import { HomeAssistant } from "./home-assistant";
import type { DeviceProfile, KnownDevices } from "./known-devices";
import { isListed, SiteFacts } from "./site-facts";
import { sourceOf } from "../messages/series";
import type { Site } from "../models/site";
import { type IncomingRecord, recordPublications } from "../mqtt/incoming-record";
import type { Publication, PublishRule } from "../mqtt/publication";

export class RecordPublisher {
  readonly #rule: PublishRule;
  readonly #facts = new SiteFacts();
  readonly #home: HomeAssistant | undefined;
  readonly #table: DeviceTable;

  /** `devices` as stored, `now` in milliseconds. */
  constructor(rule: PublishRule, devices: KnownDevices, now: number) {
    this.#rule = rule;
    this.#table = new DeviceTable(rule.prefix, devices);
    this.#home = rule.discovery ? new HomeAssistant(rule, devices, now) : undefined;
  }

  /** The devices to store; one that has changed is a new object. */
  get devices(): KnownDevices {
    return this.#table.devices;
  }

  /** The messages for one record; those that carry the record itself come last. */
  publish(incoming: IncomingRecord, now: number): Publication[] {
    // Home Assistant takes the time of arrival for the time of the measurement.
    const isLive = incoming.isLive && now - incoming.end < this.#rule.expireAfter;
    const record = { ...incoming, isLive };
    const messages = recordPublications(this.#rule, record);
    const updates = this.#home ? this.#update(this.#home, record, now) : [];
    if (this.#rule.retain) this.#noteRetained(record, messages);
    return [...updates, ...messages];
  }

  /**
   * Learns the names of sites. If the list is complete, removes devices that are no longer listed from the broker. A site
   * without a list of systems keeps those it has.
   */
  updateSites(sites: Site[], isComplete: boolean, now: number): Publication[] {
    this.#facts.learn(sites);
    const removed = isComplete ? this.#remove((profile) => !isListed(profile, sites)) : [];
    const changed = [...this.devices.values()].flatMap(({ profile }) => {
      const device = this.#merge(profile);
      return device[1].profile === profile ? [] : [device];
    });
    return [...removed, ...(this.#home?.announce(changed, now) ?? [])];
  }

  /** What Home Assistant needs after it starts. */
  birth(now: number): Publication[] {
    return this.#home?.birth(this.devices, now) ?? [];
  }

  /** What is due now, with or without a new record. */
  due(now: number): Publication[] {
    return this.#home?.due(this.devices, now) ?? [];
  }

  /** When to call `due` next, in milliseconds; undefined = never. */
  nextDue(): number | undefined {
    return this.#home?.nextDue();
  }

  /** What Home Assistant needs to know before publishing ends. */
  farewell(now: number): Publication[] {
    return this.#home?.farewell(this.devices, now) ?? [];
  }

  #update(home: HomeAssistant, record: IncomingRecord, now: number): Publication[] {
    const { address, isLive, basis = {}, end } = record;
    const { siteId, systemId } = address;
    const known = this.#table.get(address)?.counters ?? {};
    const { counters, suppressed } = isLive
      ? checkCounters(known, record.record, end)
      : { counters: known, suppressed: [] };
    const entities = ENTITIES.filter((entity) => entityValue(record.record, entity) !== null).map(entityKey);
    const site = systemId === undefined ? [] : [this.#merge({ siteId, entities: [], basis: {} })];
    const device = this.#merge({ ...address, entities, basis }, counters);
    const last = { record: record.record, end, suppressed: [...suppressed] };
    const newest = isLive ? this.#table.noteLast(device, sourceOf(record.record), last) : undefined;
    return home.update([...site, newest ?? device], record, newest !== undefined, now);
  }

  #merge(added: DeviceProfile, counters?: Counters): Device {
    return this.#table.merge({ ...added, ...this.#facts.of(added) }, counters);
  }

  #noteRetained({ address }: IncomingRecord, messages: Publication[]): void {
    const device = this.#table.merge({ ...address, entities: [], basis: {} });
    this.#table.noteRetained(
      device,
      messages.map(({ topic }) => topic),
    );
  }

  #remove(isGone: (profile: DeviceProfile) => boolean): Publication[] {
    return this.#table
      .remove(({ profile }) => isGone(profile))
      .flatMap((device) => [
        ...(this.#home?.remove(device) ?? []),
        ...device[1].retained.map((topic) => ({ topic, payload: "", retain: true })),
      ]);
  }
}
