// Turns whatever mqtt readings receives into MQTT messages, and keeps Home Assistant up to date.
import type { Clock } from "../../clock";
import type { AlertUpdate } from "../../messages/reader";
import type { Site } from "../../models/site";
import { type IncomingRecord, type Publication, type PublishRule, recordPublications } from "../publications";
import { DAY } from "../../time-units";
import { alertsFound } from "./alerts";
import { Bridge, type Outcome } from "./bridge";
import {
  currentUntil,
  type Device,
  type Devices,
  type Found,
  isCurrent,
  isRead,
  stateMessage,
} from "./device";
import { DeviceTable, isShown, sorted } from "./device-table";
import {
  availabilityMessages,
  availabilityTopic,
  discoveryMessage,
  discoveryTopic,
  publisherMessage,
} from "./discovery";
import { equipmentFound } from "./equipment";
import { EventQueue } from "./event-queue";
import { Presence } from "./presence";
import { recordFound, recordMessages } from "./readings";
import { type IncomingTotals, totalsFound, totalsPublication } from "./totals";

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

/** How long a record can be valid, in milliseconds: a week, as the longest maximum age. */
const MAX_VALIDITY = 7 * DAY;

/** How often records repeat that readings are published, in milliseconds: the last will may have said that they are not. */
const PUBLISHER_INTERVAL = 60_000;

/** Publications, made step by step as they are needed, so that many do not hold the event loop. A step may have none. */
export type Steps = Iterable<readonly Publication[]>;

export class Publisher {
  readonly #rule: PublishRule;
  readonly #clock: Pick<Clock, "isSure">;
  readonly #table: DeviceTable;
  readonly #presence: Presence;
  readonly #announced = new Map<string, Announced>();
  readonly #events = new EventQueue();
  readonly #bridge = new Bridge();
  /** Ids of sites with announced devices for which a nearer device to belong to may come. */
  readonly #linkedSites = new Set<string | undefined>();
  #publisherAt = Number.NEGATIVE_INFINITY;
  /** When a birth was last answered. */
  #bornAt = Number.NEGATIVE_INFINITY;
  /** Whether another has come since. */
  #isBirthWaiting = false;

  /** `devices` as stored: online if their last record is still fresh. `now` in milliseconds, by the clock. */
  constructor(rule: PublishRule, devices: Devices, now: number, clock: Pick<Clock, "isSure">) {
    this.#rule = rule;
    this.#clock = clock;
    this.#table = new DeviceTable(rule.prefix, devices);
    this.#presence = new Presence(rule.expireAfter);
    for (const device of devices.values()) {
      const until = this.#changesAt(device, now);
      if (!isRead(device)) {
        this.#presence.report(device.id, until);
        continue;
      }
      // A site is present with any of its systems.
      const site = this.#table.find({ siteId: device.profile.siteId });
      for (const { id } of [device, ...(site ? [site] : [])]) {
        if (until < Number.POSITIVE_INFINITY) this.#presence.seen(id, until);
        this.#presence.report(id, now + SUBSCRIBE_DELAY);
      }
    }
  }

  /** What to store; a device that has changed is a new object. */
  get devices(): Devices {
    return this.#table.devices;
  }

  /** How many devices Home Assistant shows. */
  get deviceCount(): number {
    return [...this.devices.values()].filter(isShown).length;
  }

  /**
   * The messages for one record; those that carry the record itself come last. A live record that has expired is backlog:
   * Home Assistant would take the time of its arrival for the time of measurement.
   */
  publish(given: IncomingRecord, now: number): Publication[] {
    const { address, end } = given;
    // Home Assistant cannot add any time to the present.
    const validUntil = given.validUntil && Math.min(given.validUntil, end + MAX_VALIDITY);
    const isLive = given.isLive && now <= currentUntil(this.#rule, { end, until: validUntil });
    // A record in progress must not make later ones look old.
    const record = { ...given, isLive, validUntil, end: Math.min(end, now) };
    const messages = recordPublications(this.#rule, record);
    const { discovery, retain } = this.#rule;
    if (!discovery && !retain) return messages;
    const own = { ...record, retained: retain ? messages.map(({ topic }) => topic) : [] };
    const found = discovery
      ? recordFound(this.#rule, this.#table.find, own, now)
      : [{ profile: address, retained: own.retained }];
    const shown = found.flatMap((one) => this.#show(one, now, given.delivery));
    const isPublisherDue = Math.abs(now - this.#publisherAt) >= PUBLISHER_INTERVAL;
    return [...(isPublisherDue && shown.length > 0 ? [this.#online(now)] : []), ...shown, ...messages];
  }

  /** The messages for totals; the totals themselves come last. */
  *updateTotals(incoming: IncomingTotals, now: number): Steps {
    const message = totalsPublication(this.#rule, incoming);
    const found = totalsFound(this.#table.find, incoming, now) ?? { profile: incoming.address };
    yield* this.#update([{ ...found, retained: this.#rule.retain ? [message.topic] : [] }], now);
    yield [message];
  }

  /**
   * The messages for a list of sites. Devices that have been missing from every complete list for long enough leave the
   * broker. A site without a list of systems keeps those it has.
   */
  *updateSites(sites: Site[], isComplete: boolean, now: number): Steps {
    const gone = yield* this.#table.learn(sites, isComplete, now);
    for (const device of gone) yield this.#remove(device);
    yield* this.#withPublisher(now, this.#renewed(now));
  }

  /** The messages for a change of an alert, or for a list of alerts. */
  updateAlerts(update: AlertUpdate, now: number): Steps {
    return this.#update(alertsFound(this.#rule, this.devices, update, now), now);
  }

  /** The messages for the details of a site. */
  *updateEquipment(site: Site, now: number): Steps {
    yield* this.updateSites([site], false, now);
    yield* this.#update(equipmentFound(this.#table.find, site, now), now);
  }

  /** The messages for how reading the service goes. */
  *updateBridge(outcome: Outcome, now: number): Steps {
    const found = this.#bridge.found(outcome, this.#table.find({}), now);
    if (found) yield* this.#update([found], now);
  }

  /**
   * What Home Assistant needs after it starts: every device, its state, and its last record if that is still fresh. Soon after
   * another birth, it is due later.
   */
  *birth(now: number): Steps {
    this.#isBirthWaiting = Math.abs(now - this.#bornAt) < BIRTH_INTERVAL;
    if (this.#isBirthWaiting) return;
    this.#bornAt = now;
    yield* this.#withPublisher(now, this.#everything(now));
  }

  *#everything(now: number): Steps {
    for (const device of sorted(this.devices.values()).filter(isShown)) {
      yield this.#introduced(device, now);
      yield recordMessages(this.#rule, device, this.#clock.isSure ? now : undefined);
    }
  }

  /** What is due now, without an incoming message: what Home Assistant may have missed, and what time has changed. */
  *due(now: number): Steps {
    if (this.#isBirthWaiting) yield* this.birth(now);
    // While the time is not sure, nothing is repeated.
    yield* this.#withPublisher(now, [this.#events.due(now)], this.#clock.isSure ? this.#dueStates(now) : []);
  }

  *#dueStates(now: number): Steps {
    for (const { id, isRepeated } of this.#presence.popDue(now)) {
      const device = this.devices.get(id);
      if (!device) continue;
      const isWhole = isRepeated || !isRead(device);
      yield [...this.#availability(device, now), ...(isWhole ? this.#states(device, now) : [])];
    }
  }

  /** When to call `due` next, in milliseconds; undefined = never, infinite = when the time becomes sure. */
  nextDue(): number | undefined {
    const birth = this.#isBirthWaiting ? this.#bornAt + BIRTH_INTERVAL : Number.POSITIVE_INFINITY;
    const presence = this.#presence.next();
    const next = Math.min(
      birth,
      this.#events.next(),
      this.#clock.isSure ? presence : Number.POSITIVE_INFINITY,
    );
    return Math.min(next, presence) === Number.POSITIVE_INFINITY ? undefined : next;
  }

  /** What Home Assistant needs to know before publishing ends. Every entity depends on the first. */
  *farewell(now: number): Steps {
    if (!this.#rule.discovery) return;
    yield [publisherMessage(this.#rule, false)];
    for (const device of this.devices.values())
      if (isRead(device) && this.#presence.isFresh(device.id, now))
        yield availabilityMessages(this.#rule, device, false);
  }

  /** The messages for what a message reveals of devices, and for what has happened to them. */
  *#update(found: Iterable<Found>, now: number): Steps {
    yield* this.#withPublisher(now, this.#shown(found, now));
  }

  *#shown(found: Iterable<Found>, now: number): Steps {
    for (const one of found) yield this.#show(one, now);
    yield this.#events.due(now);
  }

  /** What Home Assistant has to be told of a device: everything, if its config is new. */
  #show(found: Found, now: number, delivery?: unknown): Publication[] {
    const { siteId, systemId } = found.profile;
    const before = this.#table.find(found.profile);
    // Without discovery, only what the broker retains has to be known.
    const { retained = [] } = found;
    const device = this.#table.note(
      this.#rule.discovery ? found : { profile: { siteId, systemId }, retained },
    );
    if (!device || !isShown(device)) return [];
    const { id, profile } = device;
    const { freshUntil, event, states = {} } = found;
    if (freshUntil !== undefined) this.#presence.seen(id, freshUntil);
    if (event) this.#events.add(event);
    const isLive = freshUntil !== undefined;
    if (this.#isChanged(device, delivery)) {
      const messages = this.#introduced(device, now, isLive, delivery);
      // A new site or system may be the one that others belong to.
      const isNew = (!before || !isShown(before)) && profile.key === undefined;
      const isParent = isNew && this.#linkedSites.has(profile.siteId);
      return isParent ? [...messages, ...[...this.#renewed(now, profile.siteId)].flat()] : messages;
    }
    const isNews = isLive && this.#presence.isNews(id, now);
    return [
      ...(isNews ? this.#availability(device, now, isLive) : []),
      ...this.#states(device, now, isLive, Object.keys(states)),
    ];
  }

  /** What Home Assistant knows, of one site or of all, and what has another name or belongs to another device now. */
  *#renewed(now: number, siteId?: string): Steps {
    for (const device of this.devices.values()) {
      if (siteId !== undefined && device.profile.siteId !== siteId) continue;
      const announced = this.#announced.get(device.id);
      const isRelinked = announced && announced.parentId !== this.#table.parentId(device);
      yield announced && (isRelinked || this.#isChanged(device)) ? this.#introduced(device, now) : [];
    }
  }

  /**
   * Discovery followed by the state, because a new config makes it unavailable.
   * @param isLive whether a record has just come that another node has judged: otherwise, nothing is fresh while the time is not sure
   */
  #introduced(device: Device, now: number, isLive = false, delivery?: unknown): Publication[] {
    const { id, profile } = device;
    const parentId = this.#table.parentId(device);
    this.#announced.set(id, { profile, parentId, delivery });
    const mayBeLinked = profile.key !== undefined || (profile.systemId !== undefined && !parentId);
    if (mayBeLinked) this.#linkedSites.add(profile.siteId);
    if (isRead(device)) this.#presence.expect(id, now + this.#rule.expireAfter);
    this.#presence.repeat(id, now + SUBSCRIBE_DELAY);
    // An event is published only once, so not before Home Assistant has subscribed.
    if (device.open) this.#events.pause(now, SUBSCRIBE_DELAY);
    const config = discoveryMessage(this.#rule, device, parentId);
    return [config, ...this.#availability(device, now, isLive), ...this.#states(device, now, isLive)];
  }

  /** Whether its config has changed, or was last sent as part of the same delivery and may be lost. */
  #isChanged({ id, profile }: Device, delivery?: unknown): boolean {
    const announced = this.#announced.get(id);
    return announced?.profile !== profile || (delivery !== undefined && announced.delivery === delivery);
  }

  /** Forgets a device and clears its retained messages. */
  #remove(device: Device): Publication[] {
    const { id, profile, retained = [] } = device;
    this.#announced.delete(id);
    this.#presence.forget(id);
    const { siteId, systemId, key } = profile;
    if (siteId !== undefined && systemId === undefined && key === undefined) this.#bridge.forget(siteId);
    const topics = isShown(device) ? [discoveryTopic(this.#rule, id)] : [];
    if (isRead(device)) topics.push(availabilityTopic(this.#rule.prefix, profile));
    return [...topics, ...retained].map((topic) => ({ topic, payload: "", retain: true }));
  }

  #states(device: Device, now: number, isLive = false, names = Object.keys(device.states)): Publication[] {
    const time = isLive || this.#clock.isSure ? now : undefined;
    if (!isRead(device)) this.#presence.report(device.id, this.#changesAt(device, now));
    return names
      .map((name) => stateMessage(this.#rule, device, name, time))
      .filter((message) => message !== undefined);
  }

  /** When time alone changes what a device shows, in milliseconds: the last of its records is no longer current. */
  #changesAt({ states }: Device, now: number): number {
    const current = Object.values(states).filter(
      (state) => state.end !== undefined && isCurrent(this.#rule, state, now),
    );
    const times = current.map((state) => currentUntil(this.#rule, state));
    return times.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...times);
  }

  #availability(device: Device, now: number, isLive = false): Publication[] {
    if (!isRead(device)) return [];
    const isFresh = (isLive || this.#clock.isSure) && this.#presence.isFresh(device.id, now);
    this.#presence.said(device.id, isFresh, now);
    return availabilityMessages(this.#rule, device, isFresh);
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
    return publisherMessage(this.#rule, true);
  }
}
