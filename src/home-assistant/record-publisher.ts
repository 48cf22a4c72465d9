// Turns records and site lists into MQTT messages, and keeps track of the devices.
import { type Counters, checkCounters } from "./counter-guard";
import { deviceId } from "./device-id";
import { ENTITIES, entityKey, entityValue } from "./entities";
import { type Device, HomeAssistant } from "./home-assistant";
import { type DeviceProfile, type KnownDevice, type KnownDevices, mergedProfile } from "./known-devices";
import { firstText } from "../models/service-object";
import type { Site } from "../models/site";
import { siteIdOf, systemIdOf, systemsOf } from "../models/site-reader";
import { type IncomingRecord, recordPublications } from "../mqtt/incoming-record";
import type { Publication, PublishRule } from "../mqtt/publication";
import { seriesTopic } from "../mqtt/topics";

export class RecordPublisher {
  readonly #rule: PublishRule;
  readonly #siteNames = new Map<string, string>();
  readonly #home: HomeAssistant | undefined;
  #devices: KnownDevices;

  /** `devices` as stored, `now` in milliseconds. */
  constructor(rule: PublishRule, devices: KnownDevices, now: number) {
    this.#rule = rule;
    this.#devices = devices;
    this.#home = rule.discovery ? new HomeAssistant(rule, Object.keys(devices), now) : undefined;
  }

  /** The devices to store; a new object after every change. */
  get devices(): KnownDevices {
    return this.#devices;
  }

  /** The messages for one record; those that carry the record itself come last. */
  publish(record: IncomingRecord, now: number): Publication[] {
    const { address, isLive, basis = {} } = record;
    const known = this.#devices[deviceId(this.#rule.prefix, address)]?.counters ?? {};
    const { counters, suppressed } = isLive
      ? checkCounters(known, record.record, record.end)
      : { counters: known, suppressed: NONE };
    const messages = recordPublications(this.#rule, record);
    const { siteId, systemId } = address;
    const entities = ENTITIES.filter((entity) => entityValue(record.record, entity) !== null).map(entityKey);
    const site = systemId === undefined ? [] : [this.#merge({ siteId, entities: [], basis: {} })];
    const device = this.#merge({ ...address, entities, basis }, counters);
    const first = this.#home?.update([...site, device], { ...record, suppressed, messages }, now) ?? [];
    const all = [...first, ...messages];
    if (this.#rule.retain) this.#noteRetained(device, all);
    return all;
  }

  /**
   * Learns the names of sites. If the list is complete, removes devices that are no longer listed from the broker. A site
   * without a list of systems keeps those it has.
   */
  updateSites(sites: Site[], isComplete: boolean): Publication[] {
    for (const site of sites) {
      const name = firstText(site, ["siteName"]);
      if (name !== undefined) this.#siteNames.set(siteIdOf(site), name);
    }
    const removed = isComplete ? this.#remove((profile) => !isListed(profile, sites)) : [];
    const renamed = Object.values(this.#devices).flatMap(({ profile }) => {
      const device = this.#merge(profile);
      return device[1] === profile ? [] : [device];
    });
    return [...removed, ...(this.#home?.announce(renamed) ?? [])];
  }

  /** What Home Assistant needs after it starts. */
  birth(now: number): Publication[] {
    return this.#home?.birth(this.#devices, now) ?? [];
  }

  /** What is due now, with or without a new record. */
  due(now: number): Publication[] {
    return this.#home?.due(this.#devices, now) ?? [];
  }

  /** When to call `due` next, in milliseconds; undefined = never. */
  nextDue(): number | undefined {
    return this.#home?.nextDue();
  }

  #merge(added: DeviceProfile, checked?: Counters): Device {
    const id = deviceId(this.#rule.prefix, added);
    const { [id]: known } = this.#devices;
    const counters = checked ?? known?.counters ?? {};
    const siteName = this.#siteNames.get(added.siteId);
    const profile = mergedProfile(known?.profile, siteName === undefined ? added : { ...added, siteName });
    if (profile !== known?.profile || counters !== known.counters)
      this.#write(id, { retained: [], ...known, profile, counters });
    return [id, profile];
  }

  #noteRetained([id, profile]: Device, publications: Publication[]): void {
    const { [id]: known } = this.#devices;
    if (!known) return;
    const own = publications.filter(({ topic }) =>
      topic.startsWith(`${seriesTopic(this.#rule.prefix, profile)}/`),
    );
    const retained = [...new Set([...known.retained, ...own.map(({ topic }) => topic)])];
    if (retained.length > known.retained.length) this.#write(id, { ...known, retained });
  }

  #write(id: string, device: KnownDevice): void {
    this.#devices = { ...this.#devices, [id]: device };
  }

  /** Removes systems before the site that they are linked to. */
  #remove(isGone: (profile: DeviceProfile) => boolean): Publication[] {
    const gone = Object.entries(this.#devices).filter(([, { profile }]) => isGone(profile));
    if (gone.length === 0) return [];
    const ids = new Set(gone.map(([id]) => id));
    this.#devices = Object.fromEntries(Object.entries(this.#devices).filter(([id]) => !ids.has(id)));
    return gone.toReversed().flatMap(([id, { profile, retained }]) => {
      const removed = this.#home?.remove([id, profile]) ?? [];
      const topics = new Set(removed.map(({ topic }) => topic));
      const others = retained.filter((topic) => !topics.has(topic));
      return [...removed, ...others.map((topic) => ({ topic, payload: "", retain: true }))];
    });
  }
}

const NONE: ReadonlySet<string> = new Set();

function isListed({ siteId, systemId }: DeviceProfile, sites: Site[]): boolean {
  const site = sites.find((one) => siteIdOf(one) === siteId);
  if (!site) return false;
  if (systemId === undefined || !Array.isArray(site.systems)) return true;
  // A system without an id could be this one.
  return systemsOf(site).some((system) => [systemId, undefined].includes(systemIdOf(system)));
}
