// Turns whatever mqtt readings receives into MQTT messages, and keeps Home Assistant up to date.
import { setNewest } from "../../bounded-map";
import type { Moment } from "../../clock";
import { MAX_DEVICES } from "../../limits";
import type { AlertUpdate, FlowMessage } from "../../messages/reader";
import { type Site, siteIdOf } from "../../models/site";
import { type IncomingRecord, type Publication, type PublishRule, recordPublications } from "../publications";
import { alertsFound } from "./alerts";
import { Announcement, NEVER, SUBSCRIBE_DELAY } from "./announcement";
import { Bridge } from "./bridge";
import {
  type Device,
  endedStates,
  type Found,
  hasFreshRecord,
  hasRecords,
  nextEnd,
  stateMessages,
  withoutTime,
} from "./device";
import { type DeviceTable, sorted } from "./device-table";
import { availabilityMessage, availabilityMessages, discoveryMessage, retainedTopics } from "./discovery";
import { equipmentFound } from "./equipment";
import { judged, recordFound, recordMessages } from "./readings";
import { type IncomingTotals, totalsFound, totalsPublication } from "./totals";

/** How often the births of Home Assistant are answered, in milliseconds: anyone who may publish can say that it has started. */
const BIRTH_INTERVAL = 10_000;

/** How often it is repeated that readings are published, in milliseconds: the last will may have said that they are not. */
const PUBLISHER_INTERVAL = 60_000;

/** Publications, made step by step as they are needed, so that many do not hold the event loop. A step may have none. */
export type Steps = Iterable<readonly Publication[]>;

type Certainty = Pick<Moment, "isSure" | "knownSince">;

interface News extends Pick<Found, "states" | "freshUntil"> {
  /** Whether its config is to be published: everything follows it, because a new config makes it unavailable. */
  isNew?: boolean;
  delivery?: unknown;
}

export class Publisher {
  readonly rule: PublishRule;
  readonly #clock: Certainty;
  readonly table: DeviceTable;
  /** By id of the device. */
  readonly #announcements = new Map<string, Announcement>();
  /** What clears the retained messages of devices that have gone since the last birth, by their ids. */
  readonly #removals = new Map<string, Publication[]>();
  readonly #bridge = new Bridge();
  #onlineAt = Number.NEGATIVE_INFINITY;
  #wasSure: boolean;
  /** When a birth was last answered. */
  #bornAt = Number.NEGATIVE_INFINITY;
  /** Whether another has come since. */
  #isBirthWaiting = false;
  /** As of the last jump of the time that has been answered for. */
  #knownSince: number;

  /** Devices are online if their last record is still fresh. `now` in milliseconds, by the clock. */
  constructor(rule: PublishRule, table: DeviceTable, now: number, clock: Certainty) {
    this.rule = rule;
    this.#clock = clock;
    this.#knownSince = clock.knownSince;
    this.table = table;
    this.#wasSure = clock.isSure;
    this.#begin(now);
  }

  /** The messages for one record; those that carry the record itself come last. */
  publish(given: IncomingRecord, now: number): Publication[] {
    const record = judged(this.rule, given, now);
    const messages = recordPublications(this.rule, record);
    if (!this.rule.discovery) return messages;
    const found = recordFound(this.rule, this.table, record, now);
    const shown = found.flatMap((one) => this.#show(one, now, given.delivery));
    this.table.retain(record.address, messages);
    return [...this.#online(shown, now), ...messages];
  }

  /** The messages for totals; the totals themselves come last. */
  *updateTotals(incoming: IncomingTotals, now: number): Steps {
    yield* this.#update(totalsFound(this.table.find, incoming, now), now);
    const messages = [totalsPublication(this.rule, incoming)];
    this.table.retain(incoming.address, messages);
    yield messages;
  }

  /**
   * The messages for a list of sites. Devices that have been missing from every complete list for long enough leave the
   * broker. A site without a list of systems keeps those it has.
   */
  *updateSites(sites: Site[], isComplete: boolean, now: number): Steps {
    const before = new Map(this.table.devices);
    const gone = yield* this.table.learn(sites, isComplete, now);
    for (const device of gone) yield this.#remove(device);
    const listed = new Set(sites.map(siteIdOf));
    const isKnown = (siteId: string): boolean => this.table.find({ siteId }) !== undefined;
    if (isComplete) this.#bridge.keep((siteId) => listed.has(siteId) || isKnown(siteId));
    this.#onlineAt = Number.NEGATIVE_INFINITY;
    // What has another name now.
    for (const device of this.table.devices.values()) {
      const isListed = listed.has(device.profile.siteId ?? "");
      if (!isListed || before.get(device.id)?.profile === device.profile) continue;
      const announced = this.#announcementOf(device);
      const isFirst = announced.profile === undefined;
      yield this.#online(this.#news(device, now, { isNew: true }), now);
      // Soon after a start, mqtt out may not be connected: its next message announces it again.
      if (isFirst) announced.profile = undefined;
    }
  }

  /** The messages for a change of an alert, or for a list of alerts. */
  updateAlerts(update: AlertUpdate, now: number): Steps {
    return this.#update(alertsFound(this.rule, this.table, update, now), now);
  }

  /** The messages for the details of a site. */
  *updateEquipment(site: Site, now: number): Steps {
    yield* this.updateSites([site], false, now);
    yield* this.#update(equipmentFound(this.rule, this.table.find, site, now), now);
  }

  /** What any message tells of how reading the service goes, after what a jump of the time has changed. */
  *notice(message: FlowMessage, now: number): Steps {
    yield* this.#jump(now);
    const found = this.#bridge.found(message, this.table.find({}), now);
    if (found.length > 0) yield* this.#update(found, now);
  }

  /**
   * What Home Assistant needs after it starts: every device, its state, and its last record if that is still fresh. Devices that
   * have gone since the last birth are removed once more, in case the broker was offline. Soon after another birth, it is due later.
   */
  *birth(now: number): Steps {
    this.#isBirthWaiting = Math.abs(now - this.#bornAt) < BIRTH_INTERVAL;
    if (this.#isBirthWaiting) return;
    this.#bornAt = now;
    this.#onlineAt = Number.NEGATIVE_INFINITY;
    for (const [id, messages] of this.#removals) if (!this.table.devices.has(id)) yield messages;
    this.#removals.clear();
    for (const known of sorted(this.table.devices.values())) {
      // What it belongs to may be known by now.
      const device = this.table.set(known);
      yield this.#online(this.#news(device, now, { isNew: true }), now);
      const records = recordMessages(this.rule, device, this.#clock.isSure ? now : undefined);
      this.table.retain(device.profile, records);
      yield records;
    }
  }

  /** What is due now, without an incoming message: what Home Assistant may have missed, and what time has changed. */
  *due(now: number): Steps {
    yield* this.#jump(now);
    if (this.#isBirthWaiting) yield* this.birth(now);
    this.#onlineAt = Number.NEGATIVE_INFINITY;
    for (const device of this.table.devices.values()) {
      const isDue = this.#announcementOf(device).dueAt(this.#clock.isSure) <= now;
      yield isDue ? this.#online(this.#news(device, now), now) : [];
    }
  }

  /** When to call `due` next, in milliseconds; undefined = never, infinite = once the time becomes sure. */
  nextDue(): number | undefined {
    if (this.#announcements.size === 0 && !this.#isBirthWaiting) return undefined;
    let next = this.#isBirthWaiting ? this.#bornAt + BIRTH_INTERVAL : NEVER;
    const isSure = this.#clock.isSure;
    for (const announced of this.#announcements.values()) next = Math.min(next, announced.dueAt(isSure));
    return next;
  }

  /** What Home Assistant needs to know before publishing ends. Every entity depends on the first. */
  *farewell(now: number): Steps {
    if (!this.rule.discovery) return;
    yield [availabilityMessage(this.rule, false)];
    for (const device of this.table.devices.values())
      if (hasFreshRecord(device, now)) yield availabilityMessages(this.rule, device, false);
  }

  /** What is known is due soon. By a clock that is ahead, that could be tomorrow, so it begins anew once the time is sure. */
  #begin(now: number): void {
    const soon = now + SUBSCRIBE_DELAY;
    for (const device of this.table.devices.values()) {
      const announced = this.#announcementOf(device);
      if (hasRecords(device)) announced.staleAt = Math.min(announced.staleAt, soon);
      announced.endsAt = Math.max(soon, nextEnd(device));
      if (device.isUnrepeated) announced.repeatAt = Math.min(announced.repeatAt, soon);
    }
  }

  /** After a jump of the time, nothing is fresh until it is heard of again. */
  *#jump(now: number): Steps {
    const { isSure, knownSince } = this.#clock;
    if (isSure && !this.#wasSure) this.#begin(now);
    this.#wasSure = isSure;
    if (knownSince <= this.#knownSince) return;
    this.#knownSince = knownSince;
    for (const known of this.table.devices.values()) {
      const device = this.table.set(withoutTime(known));
      if (hasRecords(device)) this.#announcementOf(device).staleAt = now;
      yield this.#online(this.#news(device, now, { states: endedStates(device, now) }), now);
    }
  }

  /** The messages for what a message reveals of devices, and for what has happened to them. */
  *#update(found: Iterable<Found>, now: number): Steps {
    if (!this.rule.discovery) return;
    this.#onlineAt = Number.NEGATIVE_INFINITY;
    for (const one of found) yield this.#online(this.#show(one, now), now);
  }

  /** What a message reveals of a device, and what has happened to it. */
  #show(found: Found, now: number, delivery?: unknown): Publication[] {
    const device = this.table.note(found);
    if (!device) return [];
    const announced = this.#announcementOf(device);
    if (found.event) announced.addEvent(found.event);
    // The config that was last sent as part of the same delivery may be lost.
    const isLost = delivery !== undefined && announced.delivery === delivery;
    const isNew = announced.profile !== device.profile || isLost;
    return this.#news(device, now, { isNew, delivery, ...found });
  }

  /** What is to be published of a device now: what is new, what Home Assistant may have missed, and what time has changed. */
  #news(device: Device, now: number, news: News = {}): Publication[] {
    const { isNew = false, states, freshUntil, delivery } = news;
    // A record has just come that another node has judged: otherwise, nothing is fresh while the time is not sure.
    const isLive = freshUntil !== undefined;
    const announced = this.#announcementOf(device);
    const { isSure } = this.#clock;
    const isWhole = isNew || (isSure && announced.repeatAt <= now);
    if (isWhole) announced.repeatAt = NEVER;
    // While the time is not sure, what comes is shown as over, and repeated as it is once the time is sure.
    const isDoubtful = states !== undefined && !isLive && !isSure;
    if (isNew) announced.introduce(device, delivery, now);
    if (isWhole || isDoubtful) this.table.set({ ...device, isUnrepeated: isNew || isDoubtful });
    const hasEnded = isSure && announced.endsAt <= now;
    const shown = { ...(isWhole && device.states), ...states, ...(hasEnded && endedStates(device, now)) };
    announced.endsAt = Math.min(hasEnded ? NEVER : announced.endsAt, nextEnd(device, now));
    return [
      ...(isNew ? [discoveryMessage(this.rule, device)] : []),
      ...this.#availability(device, now, isLive, isWhole),
      ...stateMessages(this.rule, device, shown, isLive || isSure ? now : undefined),
      ...announced.takeEvent(now),
    ];
  }

  /** Forgets a device and clears its retained messages. */
  #remove(device: Device): Publication[] {
    this.#announcements.delete(device.id);
    const topics = retainedTopics(this.rule, device);
    const messages = topics.map((topic) => ({ topic, payload: "", retain: true }));
    setNewest(this.#removals, device.id, messages, MAX_DEVICES);
    return messages;
  }

  /** Its availability, if that is another than the one published, or was published long ago. */
  #availability(device: Device, now: number, isLive: boolean, isWhole: boolean): Publication[] {
    if (!hasRecords(device)) return [];
    const announced = this.#announcementOf(device);
    const { isSure } = this.#clock;
    const { expireAfter } = this.rule;
    const isOnline = (isLive || isSure) && hasFreshRecord(device, now);
    const isNews = isLive && (!announced.isOnline || Math.abs(now - announced.at) >= expireAfter / 2);
    // While the time is not sure, nothing is repeated, but what can have run out is stale.
    const isOver = announced.isOnline === true && !hasFreshRecord(device, now);
    const isTold = isWhole || isNews || isOver || (isSure && announced.staleAt <= now);
    // What is stale because no one knows the time is looked at again once it is sure.
    const nextLook = isSure ? now + expireAfter : 0;
    if (isTold || isLive) announced.staleAt = isOnline ? (device.freshUntil ?? NEVER) : nextLook;
    if (isTold) Object.assign(announced, { isOnline, at: now });
    return isTold ? availabilityMessages(this.rule, device, isOnline) : [];
  }

  /** Before anything else, it is said that readings are published; with records, only now and then. */
  #online(messages: Publication[], now: number): Publication[] {
    if (messages.length === 0 || Math.abs(now - this.#onlineAt) < PUBLISHER_INTERVAL) return messages;
    this.#onlineAt = now;
    return [availabilityMessage(this.rule, true), ...messages];
  }

  #announcementOf({ id }: Device): Announcement {
    const announced = this.#announcements.get(id) ?? new Announcement();
    this.#announcements.set(id, announced);
    return announced;
  }
}
