// Makes MQTT messages of records, and keeps the book of the devices that they come from.
import { firstText } from "../models/service-object";
import type { Site } from "../models/site";
import { siteIdOf, systemIdOf, systemsOf } from "../models/site-reader";
import { type Arrival, recordPublications } from "./arrival";
import { type Counters, judgeCounters } from "../home-assistant/counter-guard";
import {
  type DeviceBook,
  type DeviceProfile,
  type KnownDevice,
  learned,
} from "../home-assistant/device-book";
import { deviceId } from "../home-assistant/device-id";
import { ENTITIES, entityKey, entityValue } from "../home-assistant/entities";
import { type Device, HomeAssistant } from "../home-assistant/home-assistant";
import type { Publication, PublishRule } from "./publication";
import { seriesTopic } from "./topics";

export class Forwarder {
  readonly #names = new Map<string, string>();
  readonly #home: HomeAssistant | undefined;
  #book: DeviceBook;

  /** `book` is what was kept from before, `now` in milliseconds. */
  constructor(
    private readonly rule: PublishRule,
    book: DeviceBook,
    now: number,
  ) {
    this.#book = book;
    this.#home = rule.discovery ? new HomeAssistant(rule, Object.keys(book), now) : undefined;
  }

  /** To be kept over restarts; another object whenever something in it has changed. */
  get book(): DeviceBook {
    return this.#book;
  }

  /** The messages of one record, its own at last. */
  take(arrival: Arrival, now: number): Publication[] {
    const { address, record, end, isLive, basis = {} } = arrival;
    const known = this.#book[deviceId(this.rule.prefix, address)]?.counters ?? {};
    const { counters, held } = isLive ? judgeCounters(known, record, end) : { counters: known, held: NONE };
    const own = recordPublications(this.rule, arrival);
    const { siteId, systemId } = address;
    const entities = ENTITIES.filter((entity) => entityValue(record, entity) !== null).map(entityKey);
    const site = systemId === undefined ? [] : [this.#learn({ siteId, entities: [], basis: {} })];
    const device = this.#learn({ ...address, entities, basis }, counters);
    const told = this.#home?.take([...site, device], arrival, held, own, now) ?? [];
    if (this.rule.retain) this.#noteRetained(device, [...told, ...own]);
    return [...told, ...own];
  }

  /**
   * Learns the names of sites. A list of all sites is `complete`: what is in it no more is taken off the broker. A site
   * that does not tell its systems keeps them.
   */
  takeSites(sites: Site[], isComplete: boolean): Publication[] {
    for (const site of sites) {
      const name = firstText(site, ["siteName"]);
      if (name !== undefined) this.#names.set(siteIdOf(site), name);
    }
    const removed = isComplete ? this.#forget((profile) => !isListed(profile, sites)) : [];
    const renamed = Object.values(this.#book).flatMap(({ profile }) => {
      const device = this.#learn(profile);
      return device[1] === profile ? [] : [device];
    });
    return [...removed, ...(this.#home?.announce(renamed) ?? [])];
  }

  /** What Home Assistant is to hear when it has started. */
  birth(now: number): Publication[] {
    return this.#home?.birth(this.#book, now) ?? [];
  }

  /** What is to be said by now although no record came. */
  due(now: number): Publication[] {
    return this.#home?.due(this.#book, now) ?? [];
  }

  /** When there is something to say the next time, in milliseconds. */
  nextDue(): number | undefined {
    return this.#home?.nextDue();
  }

  #learn(news: DeviceProfile, judged?: Counters): Device {
    const id = deviceId(this.rule.prefix, news);
    const { [id]: known } = this.#book;
    const counters = judged ?? known?.counters ?? {};
    const siteName = this.#names.get(news.siteId);
    const profile = learned(known?.profile, siteName === undefined ? news : { ...news, siteName });
    if (profile !== known?.profile || counters !== known.counters)
      this.#write(id, { retained: [], ...known, profile, counters });
    return [id, profile];
  }

  #noteRetained([id, profile]: Device, publications: Publication[]): void {
    const { [id]: known } = this.#book;
    if (!known) return;
    const own = publications.filter(({ topic }) =>
      topic.startsWith(`${seriesTopic(this.rule.prefix, profile)}/`),
    );
    const retained = [...new Set([...known.retained, ...own.map(({ topic }) => topic)])];
    if (retained.length > known.retained.length) this.#write(id, { ...known, retained });
  }

  #write(id: string, device: KnownDevice): void {
    this.#book = { ...this.#book, [id]: device };
  }

  /** Systems go before the site that they stand under. */
  #forget(isGone: (profile: DeviceProfile) => boolean): Publication[] {
    const gone = Object.entries(this.#book).filter(([, { profile }]) => isGone(profile));
    if (gone.length === 0) return [];
    const ids = new Set(gone.map(([id]) => id));
    this.#book = Object.fromEntries(Object.entries(this.#book).filter(([id]) => !ids.has(id)));
    return gone.toReversed().flatMap(([id, { profile, retained }]) => {
      const told = this.#home?.forget([id, profile]) ?? [];
      const toldTopics = new Set(told.map(({ topic }) => topic));
      const others = retained.filter((topic) => !toldTopics.has(topic));
      return [...told, ...others.map((topic) => ({ topic, payload: "", retain: true }))];
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
