// Turns records and site lists into MQTT messages, and keeps track of the devices.
import { countAbsence, isGone, listedIn } from "./absence";
import { type Counters, checkCounters } from "./counters";
import { type Device, DeviceTable } from "./device-table";
import { ENTITIES, entityKey, entityValue } from "./entities";
import { HomeAssistant } from "./home-assistant";
import type { DeviceProfile, KnownDevice, KnownDevices } from "./known-devices";
import { SiteFacts } from "./site-facts";
import { MAX_DEVICES } from "../../limits";
import { sourceOf } from "../../messages/series";
import type { Site } from "../../models/site";
import { type IncomingRecord, recordPublications } from "../publications";
import type { Publication, PublishRule } from "../publications";

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

  /**
   * The messages for one record; those that carry the record itself come last. A live record that has expired is backlog:
   * Home Assistant would take the time of its arrival for the time of measurement.
   */
  publish(given: IncomingRecord, now: number): Publication[] {
    const isLive = given.isLive && now - given.end <= this.#rule.expireAfter;
    // A record in progress must not make later ones look old.
    const record = { ...given, isLive, end: Math.min(given.end, now) };
    const messages = recordPublications(this.#rule, record);
    const isNamed = this.#table.get(record.address) !== undefined || this.devices.size < MAX_DEVICES;
    const updates = this.#home && isNamed ? this.#update(this.#home, record, now) : [];
    if (this.#rule.retain) this.#noteRetained(record, messages);
    return [...updates, ...messages];
  }

  /**
   * Learns the names of sites. Removes devices from the broker that have been missing from every complete list for long
   * enough. A site without a list of systems keeps those it has. `now` in milliseconds.
   */
  updateSites(sites: Site[], isComplete: boolean, now: number): Publication[] {
    this.#facts.learn(sites);
    const isListed = listedIn(sites);
    for (const device of this.devices) {
      const [, { profile, absence }] = device;
      if (isListed(profile)) this.#table.setAbsence(device, undefined);
      else if (isComplete) this.#table.setAbsence(device, countAbsence(absence, now));
    }
    const removed = isComplete
      ? this.#remove(({ absence }) => absence !== undefined && isGone(absence, now))
      : [];
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
      ? checkCounters(known, record)
      : { counters: known, suppressed: [] };
    const entities = ENTITIES.filter((entity) => entityValue(record.record, entity) !== null).map(entityKey);
    const site = systemId === undefined ? [] : [this.#present({ siteId, entities: [], basis: {} })];
    const device = this.#present({ ...address, entities, basis }, counters);
    const last = { record: record.record, end, suppressed: [...suppressed] };
    const isCurrent = isLive && now - end < this.#rule.expireAfter;
    const newest = isCurrent ? this.#table.noteLast(device, sourceOf(record.record), last) : undefined;
    return home.update([...site, newest ?? device], record, newest !== undefined, now);
  }

  /** A device that has sent a record exists, whatever site lists say. */
  #present(added: DeviceProfile, counters?: Counters): Device {
    return this.#table.setAbsence(this.#merge(added, counters), undefined);
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

  /** Removes systems before the site that they are linked to. */
  #remove(isRemoved: (device: KnownDevice) => boolean): Publication[] {
    return this.#table
      .remove(isRemoved)
      .flatMap((device) => [
        ...(this.#home?.remove(device) ?? []),
        ...device[1].retained.map((topic) => ({ topic, payload: "", retain: true })),
      ]);
  }
}
