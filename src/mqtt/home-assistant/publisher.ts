// Turns whatever mqtt readings receives into MQTT messages, and keeps Home Assistant up to date.
import type { AlertUpdate } from "../../messages/reader";
import { sourceOf } from "../../messages/series";
import { defined } from "../../objects";
import type { Site } from "../../models/site";
import { type IncomingRecord, type Publication, type PublishRule, recordPublications } from "../publications";
import { alertEvent, alertsId, alertsOf, updatesBySite } from "./alerts";
import { checkCounters } from "./counters";
import { type Device, type Devices, discoveryOf, parentsFirst, shownIdOf, statesOf } from "./device";
import { DeviceTable } from "./device-table";
import { deviceId, discoveryMessage, discoveryTopic, OFFLINE, ONLINE, publisherMessage } from "./discovery";
import { EventQueue } from "./event-queue";
import { ENTITIES, entityKey, entityValue } from "./entities";
import { chargeUntil, equipmentOf } from "./equipment";
import { Presence } from "./presence";
import {
  availabilityMessages,
  availabilityTopic,
  currentUntil,
  freshRecords,
  hasRecords,
  keptRecord,
  namesIn,
  profiledValidity,
  readingsOf,
  readingsState,
  recordMessages,
} from "./readings";
import { type IncomingTotals, notedTotals, totalsPublication, totalsStates } from "./totals";

/** What the last discovery message of a device depended on. */
interface Announced {
  profile: Device["profile"];
  parentId: string | undefined;
  delivery: unknown;
}

/**
 * Milliseconds until what was published is published again: after a new config Home Assistant takes a moment to subscribe, and
 * after a start an mqtt out node to connect.
 */
const SUBSCRIBE_DELAY = 5000;

/** How often the births of Home Assistant are answered, in milliseconds: anyone who may publish can say that it has started. */
const BIRTH_INTERVAL = 10_000;

/** Publications, made step by step as they are needed, so that many do not hold the event loop. A step may have none. */
export type Steps = Iterable<readonly Publication[]>;

/** How often records repeat that readings are published, in milliseconds: the last will may have said that they are not. */
const PUBLISHER_INTERVAL = 60_000;

export class Publisher {
  readonly #rule: PublishRule;
  readonly #table: DeviceTable;
  readonly #presence: Presence;
  readonly #announced = new Map<string, Announced>();
  readonly #events = new EventQueue();
  /** Ids of sites of which Home Assistant may know equipment. */
  readonly #equipped = new Set<string | undefined>();
  #publisherAt = Number.NEGATIVE_INFINITY;
  /** When a birth was last answered. */
  #bornAt = Number.NEGATIVE_INFINITY;
  /** Whether another has come since. */
  #isBirthWaiting = false;

  /** `devices` as stored: online if their last record is still fresh. `now` in milliseconds. */
  constructor(rule: PublishRule, devices: Devices, now: number) {
    this.#rule = rule;
    this.#table = new DeviceTable(rule.prefix, devices);
    this.#presence = new Presence(rule.expireAfter);
    const reportAt = now + SUBSCRIBE_DELAY;
    for (const device of devices.values()) {
      const { id, kind, profile } = device;
      this.#presence.expect(id, isRead(device) ? reportAt : undefined);
      if (kind === "equipment") this.#presence.report(id, chargeUntil(rule, device, now));
      if (kind === "equipment") this.#equipped.add(profile.siteId);
      if (kind !== "readings" || !isRead(device)) continue;
      // A site is present with any of its systems.
      for (const one of [id, deviceId(rule.prefix, { siteId: profile.siteId })]) {
        for (const record of freshRecords(rule, device, now))
          this.#presence.seen(one, currentUntil(rule, record));
        this.#presence.report(one, reportAt);
      }
    }
  }

  /** What to store; a device that has changed is a new object. */
  get devices(): Devices {
    return this.#table.devices;
  }

  /** How many devices Home Assistant shows. */
  get deviceCount(): number {
    return new Set([...this.devices.values()].map((device) => shownIdOf(this.#rule.prefix, device))).size;
  }

  /**
   * The messages for one record; those that carry the record itself come last. A live record that has expired is backlog:
   * Home Assistant would take the time of its arrival for the time of measurement.
   */
  publish(given: IncomingRecord, now: number): Publication[] {
    const isLive = given.isLive && now <= currentUntil(this.#rule, given);
    // A record in progress must not make later ones look old.
    const record = { ...given, isLive, end: Math.min(given.end, now) };
    const messages = recordPublications(this.#rule, record);
    const retained = this.#rule.retain ? messages.map(({ topic }) => topic) : [];
    if (this.#rule.discovery) return [...this.#update(record, retained, now), ...messages];
    if (this.#rule.retain) this.#table.note(readingsOf(this.#rule, record.address, { retained }));
    return messages;
  }

  /** The messages for totals; the totals themselves come last. */
  updateTotals(incoming: IncomingTotals, now: number): Publication[] {
    const { address } = incoming;
    const message = totalsPublication(this.#rule, incoming);
    const retained = this.#rule.retain ? [message.topic] : [];
    const known = this.#table.readings(address);
    const noted = this.#rule.discovery ? notedTotals(known, incoming, now) : undefined;
    if (!noted && retained.length === 0) return [message];
    const profile = { ...address, ...namesIn(incoming.energy), ...(noted && { totals: noted.profile }) };
    const rest = { retained, ...(noted && { totals: noted.states }) };
    const device = this.#table.note(readingsOf(this.#rule, profile, rest));
    if (!noted || !device) return [message];
    const messages = this.#isChanged(device)
      ? this.#introduced(device, now)
      : totalsStates(this.#rule, { profile: address, totals: noted.added }, now);
    return [...(messages.length > 0 ? [this.#online(now)] : []), ...messages, message];
  }

  /**
   * The messages for a list of sites. Devices that have been missing from every complete list for long enough leave the
   * broker. A site without a list of systems keeps those it has.
   */
  *updateSites(sites: Site[], isComplete: boolean, now: number): Steps {
    const gone = yield* this.#table.learn(sites, isComplete, now);
    for (const device of gone) yield this.#remove(device);
    if (this.#rule.discovery) yield* this.#withPublisher(now, this.#renewed(now));
  }

  /** The messages for a change of an alert, or for a list of alerts. */
  *updateAlerts(update: AlertUpdate, now: number): Steps {
    if (!this.#rule.discovery) return;
    const count = this.devices.size;
    const devices: Device[] = [];
    const events: Publication[] = [];
    for (const one of updatesBySite(update, this.#table.siteIds)) {
      const isSeen = update.siteId !== undefined || one.change !== undefined || one.open.length > 0;
      const known = this.devices.get(alertsId(this.#rule.prefix, one.siteId));
      const found = alertsOf(this.#rule, known?.kind === "alerts" ? known : undefined, one, now);
      const device = this.#table.note(found, isSeen);
      if (device) devices.push(device);
      if (device && one.change !== undefined) events.push(alertEvent(this.#rule, one));
      yield [];
    }
    yield* this.#show(devices, now, events);
    // A site that is new to Home Assistant may be the one that equipment is linked to.
    if (this.devices.size > count) yield* this.#renewed(now);
  }

  /** The messages for the details of a site. */
  *updateEquipment(site: Site, now: number): Steps {
    yield* this.updateSites([site], false, now);
    if (!this.#rule.discovery) return;
    // A device may be listed twice.
    const devices = new Map<string, Device>();
    for (const found of equipmentOf(this.#rule, site, now)) {
      const device = this.#table.note(found);
      if (device) devices.set(device.id, device);
      this.#equipped.add(found.profile.siteId);
      yield [];
    }
    yield* this.#show([...devices.values()], now);
  }

  /**
   * What Home Assistant needs after it starts: every device, its state, and its last record if that is still fresh. Soon after
   * another birth, it is due later.
   */
  *birth(now: number): Steps {
    this.#isBirthWaiting = this.#rule.discovery && Math.abs(now - this.#bornAt) < BIRTH_INTERVAL;
    if (this.#isBirthWaiting || !this.#rule.discovery) return;
    this.#bornAt = now;
    yield* this.#withPublisher(now, this.#everything(now));
  }

  *#everything(now: number): Steps {
    for (const device of parentsFirst(this.devices.values())) {
      yield this.#introduced(device, now);
      if (device.kind === "readings") yield recordMessages(this.#rule, device, now);
    }
  }

  /** What is due now, without an incoming message: what Home Assistant may have missed, and what time has changed. */
  *due(now: number): Steps {
    if (this.#isBirthWaiting) yield* this.birth(now);
    yield* this.#withPublisher(now, [this.#events.due(now)], this.#dueStates(now));
  }

  *#dueStates(now: number): Steps {
    for (const { id, isRepeated } of this.#presence.popDue(now)) {
      const device = this.devices.get(id);
      if (!device) continue;
      const isAvailabilityOnly = device.kind === "readings" && !isRepeated;
      yield isAvailabilityOnly ? this.#availability(device, now) : this.#present(device, now);
    }
  }

  /** When to call `due` next, in milliseconds; undefined = never. */
  nextDue(): number | undefined {
    const birth = this.#isBirthWaiting ? this.#bornAt + BIRTH_INTERVAL : Number.POSITIVE_INFINITY;
    const next = Math.min(birth, this.#events.next(), this.#presence.next());
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  /** What Home Assistant needs to know before publishing ends. Every entity depends on the first. */
  *farewell(now: number): Steps {
    if (!this.#rule.discovery) return;
    yield [publisherMessage(this.#rule, OFFLINE)];
    for (const device of this.devices.values())
      if (device.kind === "readings" && this.#presence.isFresh(device.id, now))
        yield availabilityMessages(this.#rule, device, false);
  }

  /** What to publish before a record itself. `retained`: the topics of its messages, if the broker keeps those. */
  #update(incoming: IncomingRecord, retained: string[], now: number): Publication[] {
    const { address, record, isLive, basis, end, delivery } = incoming;
    const names = namesIn(incoming.energy);
    const { siteId, systemId } = address;
    const count = this.devices.size;
    const known = this.#table.readings(address);
    const { counters, suppressed } = isLive
      ? checkCounters(known?.counters ?? {}, incoming)
      : { counters: known?.counters ?? {}, suppressed: [] };
    const entities = ENTITIES.filter((entity) => entityValue(record, entity) !== null).map(entityKey);
    const source = sourceOf(record);
    const { validUntil } = incoming;
    const until = currentUntil(this.#rule, { end, validUntil });
    const isCurrent = isLive && now < until;
    // The newest record of its series is the state of the device.
    const isNewest = isCurrent && end >= (known?.last?.[source]?.end ?? end);
    const newest = { record: keptRecord(record), end, validUntil, suppressed: [...suppressed] };
    const last = { ...known?.last, [source]: newest };
    const records = Object.values(isNewest ? last : (known?.last ?? {}));
    const validFor = profiledValidity(this.#rule, records, known?.profile.validFor);

    // A site stays for as long as any of its systems does.
    const site = readingsOf(this.#rule, {
      ...defined({ siteId, siteName: names.siteName }),
      validFor: Math.max(this.#table.readings({ siteId })?.profile.validFor ?? 0, validFor),
    });
    const added = { counters, retained, ...(isNewest && { last }) };
    const own = readingsOf(this.#rule, { ...address, ...names, entities, basis, validFor }, added);
    const devices = (systemId === undefined ? [own] : [site, own])
      .map((found) => this.#table.note(found))
      .filter((device) => device !== undefined);
    const changed = devices.filter((device) => this.#isChanged(device, delivery));
    const configs = changed.map((device) => this.#announce(device, now, delivery));
    // A new device may be the one that equipment is linked to.
    if (this.devices.size > count && this.#equipped.has(siteId))
      configs.push(...[...this.#renewed(now, siteId)].flat());
    if (!isNewest) return [...configs, ...changed.flatMap((device) => this.#present(device, now))];

    for (const { id } of devices) this.#presence.seen(id, until);
    const messages = [
      ...configs,
      ...devices.flatMap((device) =>
        this.#presence.isNews(device.id, now) ? this.#availability(device, now) : [],
      ),
      ...(this.devices.has(own.id) ? [readingsState(this.#rule, own, newest)] : []),
    ];
    const isPublisherDue = Math.abs(now - this.#publisherAt) >= PUBLISHER_INTERVAL;
    return isPublisherDue && messages.length > 0 ? [this.#online(now), ...messages] : messages;
  }

  /** Shows devices as they are now, and `events`, which wait if Home Assistant has to subscribe first. */
  *#show(devices: readonly Device[], now: number, events: Publication[] = []): Steps {
    // An event is published only once, so not before Home Assistant has subscribed; nor does one overtake another.
    const mustWait = this.#events.isDelayed || devices.some((device) => this.#isChanged(device));
    for (const event of events) this.#events.add(event, now, mustWait ? SUBSCRIBE_DELAY : 0);
    yield* this.#withPublisher(now, [this.#events.due(now)], this.#shown(devices, now));
  }

  *#shown(devices: readonly Device[], now: number): Steps {
    for (const device of devices)
      yield this.#isChanged(device) ? this.#introduced(device, now) : this.#present(device, now);
  }

  /** What Home Assistant knows, of one site or of all, and what has another name or is linked to another device now. */
  *#renewed(now: number, siteId?: string): Steps {
    for (const device of this.devices.values()) {
      if (siteId !== undefined && device.profile.siteId !== siteId) continue;
      const isRenewed = this.#announced.has(device.id) && this.#isChanged(device);
      yield isRenewed ? this.#introduced(device, now) : [];
    }
  }

  /** Discovery followed by the state, because a new config makes it unavailable. */
  #introduced(device: Device, now: number): Publication[] {
    return [this.#announce(device, now), ...this.#present(device, now)];
  }

  #announce(device: Device, now: number, delivery?: unknown): Publication {
    const { id, profile } = device;
    const parentId = this.#table.parentId(device);
    this.#announced.set(id, { profile, parentId, delivery });
    this.#presence.expect(id, isRead(device) ? now + this.#rule.expireAfter : undefined);
    this.#presence.repeat(id, now + SUBSCRIBE_DELAY);
    return discoveryMessage(this.#rule, id, discoveryOf(this.#rule, device, parentId));
  }

  /** Whether its config has changed, or was last sent as part of the same delivery and may be lost. */
  #isChanged(device: Device, delivery?: unknown): boolean {
    const announced = this.#announced.get(device.id);
    if (announced?.profile !== device.profile || announced.parentId !== this.#table.parentId(device))
      return true;
    return delivery !== undefined && announced.delivery === delivery;
  }

  /** Forgets a device and clears its retained messages. */
  #remove(device: Device): Publication[] {
    this.#announced.delete(device.id);
    this.#presence.forget(device.id);
    const isReadings = device.kind === "readings";
    const availability = isReadings ? [availabilityTopic(this.#rule, device.profile)] : [];
    const topics = [
      ...(this.#rule.discovery ? [discoveryTopic(this.#rule, device.id), ...availability] : []),
      ...((isReadings && device.retained) || []),
    ];
    return topics.map((topic) => ({ topic, payload: "", retain: true }));
  }

  #present(device: Device, now: number): Publication[] {
    if (device.kind === "equipment") this.#presence.report(device.id, chargeUntil(this.#rule, device, now));
    return [...this.#availability(device, now), ...statesOf(this.#rule, device, now)];
  }

  #availability(device: Device, now: number): Publication[] {
    if (device.kind !== "readings") return [];
    this.#presence.said(device.id, now);
    return availabilityMessages(this.#rule, device, this.#presence.isFresh(device.id, now));
  }

  /** Says that readings are published, before anything else. */
  *#withPublisher(now: number, ...parts: Steps[]): Steps {
    let hasSaid = false;
    for (const part of parts)
      for (const step of part) {
        if (step.length > 0 && !hasSaid) yield [this.#online(now)];
        hasSaid ||= step.length > 0;
        yield step;
      }
  }

  #online(now: number): Publication {
    this.#publisherAt = now;
    return publisherMessage(this.#rule, ONLINE);
  }
}

/** Whether records of the device may come. */
function isRead(device: Device): boolean {
  return device.kind === "readings" && hasRecords(device);
}
