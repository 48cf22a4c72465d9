// Makes MQTT messages of records and sites, and keeps track of the devices that they are from.
import { type Counters, judgeCounters } from "./counter-guard";
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

  /** `devices` as they were stored, `now` in milliseconds. */
  constructor(rule: PublishRule, devices: KnownDevices, now: number) {
    this.#rule = rule;
    this.#devices = devices;
    this.#home = rule.discovery ? new HomeAssistant(rule, Object.keys(devices), now) : undefined;
  }

  /** To be stored; another object whenever something in it has changed. */
  get devices(): KnownDevices {
    return this.#devices;
  }

  /** The messages of one record; those of the record itself come last. */
  publish(record: IncomingRecord, now: number): Publication[] {
    const { address, isLive, basis = {} } = record;
    const known = this.#devices[deviceId(this.#rule.prefix, address)]?.counters ?? {};
    const { counters, held } = isLive
      ? judgeCounters(known, record.record, record.end)
      : { counters: known, held: NONE };
    const own = recordPublications(this.#rule, record);
    const { siteId, systemId } = address;
    const entities = ENTITIES.filter((entity) => entityValue(record.record, entity) !== null).map(entityKey);
    const site = systemId === undefined ? [] : [this.#merge({ siteId, entities: [], basis: {} })];
    const device = this.#merge({ ...address, entities, basis }, counters);
    const first = this.#home?.update([...site, device], { ...record, held, own }, now) ?? [];
    const all = [...first, ...own];
    if (this.#rule.retain) this.#noteRetained(device, all);
    return all;
  }

  /**
   * Learns the names of sites. With a complete list, devices that are no longer listed are removed from the broker. A site
   * without a list of its systems keeps them.
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

  /** What Home Assistant needs when it has started. */
  birth(now: number): Publication[] {
    return this.#home?.birth(this.#devices, now) ?? [];
  }

  /** What is due now without a record. */
  due(now: number): Publication[] {
    return this.#home?.due(this.#devices, now) ?? [];
  }

  /** When something is due next, in milliseconds; undefined for never. */
  nextDue(): number | undefined {
    return this.#home?.nextDue();
  }

  #merge(added: DeviceProfile, judged?: Counters): Device {
    const id = deviceId(this.#rule.prefix, added);
    const { [id]: known } = this.#devices;
    const counters = judged ?? known?.counters ?? {};
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

  /** Systems are removed before the site that they are connected via. */
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
  // A system without an id may be any of them.
  return systemsOf(site).some((system) => [systemId, undefined].includes(systemIdOf(system)));
}
