// Keeps Home Assistant up to date: its devices, their availability and their state.
import { sourceOf } from "../../messages/series";
import type { IncomingRecord } from "../publications";
import type { Publication, PublishRule } from "../publications";
import { deviceId } from "./device-id";
import { availabilityMessages, freshRecords, recordMessages, stateMessages } from "./device-messages";
import type { Device } from "./device-table";
import { availabilityTopic, configTopic, deviceConfig } from "./discovery";
import { OFFLINE, ONLINE, publisherMessage } from "./discovery-message";
import type { DeviceProfile, KnownDevices } from "./known-devices";
import { Presence } from "./presence";

/**
 * Milliseconds until what was published is published again: after a new config Home Assistant takes a moment to subscribe, and
 * after a start an mqtt out node to connect.
 */
export const SUBSCRIBE_DELAY = 5000;

/** How often records repeat that readings are published, which the broker may have denied, in milliseconds. */
const PUBLISHER_INTERVAL = 60_000;

export class HomeAssistant {
  readonly #rule: PublishRule;
  readonly #announced = new Map<string, { profile: DeviceProfile; delivery?: unknown }>();
  readonly #presence: Presence;
  #publisherAt = Number.NEGATIVE_INFINITY;

  /** Known devices are online if their last record is still fresh. `now` in milliseconds. */
  constructor(rule: PublishRule, known: KnownDevices, now: number) {
    this.#rule = rule;
    this.#presence = new Presence(rule.expireAfter);
    for (const [id, { profile, last }] of known) {
      this.#presence.expect(id, now + SUBSCRIBE_DELAY);
      for (const { end } of freshRecords(this.#rule, last, now)) {
        this.#presence.seen(id, end);
        // A site is present with any of its systems.
        this.#presence.seen(deviceId(rule.prefix, { siteId: profile.siteId }), end);
      }
    }
    for (const id of known.keys()) this.#presence.report(id, now + SUBSCRIBE_DELAY);
  }

  /**
   * What to publish before a record itself. The last of `devices` is the record's own, after the site it is linked to.
   * @param isNewest whether the record is the device's last one, which is its state
   */
  update(
    devices: Device[],
    { record, end, delivery }: IncomingRecord,
    isNewest: boolean,
    now: number,
  ): Publication[] {
    const changed = this.#changed(devices, delivery);
    const announced = changed.map((device) => this.#config(device, delivery));
    for (const [id] of devices) {
      this.#presence.expect(id, now + this.#rule.expireAfter);
      if (isNewest) this.#presence.seen(id, end);
    }
    for (const [id] of changed) this.#presence.repeat(id, now + SUBSCRIBE_DELAY);
    if (!isNewest) return [...announced, ...changed.flatMap((device) => this.#present(device, now))];
    const own = devices
      .slice(-1)
      .flatMap((device) => stateMessages(this.#rule, device, now, sourceOf(record)));
    const present = devices.flatMap(([, { profile }]) => availabilityMessages(this.#rule, profile, true));
    const all = [...announced, ...present, ...own];
    return this.#isPublisherDue(now) ? this.#withPublisher(all, now) : all;
  }

  /** Discovery of devices that have changed, followed by their state, because a new config makes it unavailable. */
  announce(devices: Device[], now: number): Publication[] {
    return this.#withPublisher(
      this.#changed(devices).flatMap((device) => this.#introduce(device, now)),
      now,
    );
  }

  /** What Home Assistant needs after it starts: every device, and its last record if that is still fresh. */
  birth(devices: KnownDevices, now: number): Publication[] {
    const all = [...devices].flatMap((device) => [
      ...this.#introduce(device, now),
      ...recordMessages(this.#rule, device, now),
    ]);
    return this.#withPublisher(all, now);
  }

  /** What is due now: the availability of devices, and states that Home Assistant may have missed. Times in ms. */
  due(devices: KnownDevices, now: number): Publication[] {
    const due = this.#presence.popDue(now).flatMap(({ id, isRepeated }) => {
      const device = devices.get(id);
      if (!device) return [];
      return isRepeated ? this.#present([id, device], now) : this.#presentAvailability([id, device], now);
    });
    return this.#withPublisher(due, now);
  }

  /** When to call `due` next, in milliseconds; undefined = never. */
  nextDue(): number | undefined {
    return this.#presence.next();
  }

  /** That nobody publishes any more. */
  farewell(devices: KnownDevices, now: number): Publication[] {
    const publisher = publisherMessage(this.#rule, OFFLINE);
    const online = [...devices].filter(([id]) => this.#presence.isFresh(id, now));
    return [
      publisher,
      ...online.flatMap(([, { profile }]) => availabilityMessages(this.#rule, profile, false)),
    ];
  }

  /** Forgets a device and clears its retained messages. */
  remove([id, { profile }]: Device): Publication[] {
    this.#announced.delete(id);
    this.#presence.forget(id);
    const topics = [configTopic(this.#rule, profile), availabilityTopic(this.#rule, profile)];
    return topics.map((topic) => ({ topic, payload: "", retain: true }));
  }

  /** Devices whose config has changed, or was last sent as part of the same delivery and may be lost. */
  #changed(devices: Device[], delivery?: unknown): Device[] {
    return devices.filter(([id, { profile }]) => {
      const announced = this.#announced.get(id);
      return announced?.profile !== profile || (delivery !== undefined && announced.delivery === delivery);
    });
  }

  #introduce(device: Device, now: number): Publication[] {
    const [id] = device;
    this.#presence.expect(id, now + this.#rule.expireAfter);
    this.#presence.repeat(id, now + SUBSCRIBE_DELAY);
    return [this.#config(device), ...this.#present(device, now)];
  }

  #config([id, { profile }]: Device, delivery?: unknown): Publication {
    this.#announced.set(id, { profile, delivery });
    return deviceConfig(this.#rule, profile);
  }

  #present(device: Device, now: number): Publication[] {
    return [...this.#presentAvailability(device, now), ...stateMessages(this.#rule, device, now)];
  }

  #presentAvailability([id, { profile }]: Device, now: number): Publication[] {
    return availabilityMessages(this.#rule, profile, this.#presence.isFresh(id, now));
  }

  /** Says that readings are published, before anything else. */
  #withPublisher(publications: Publication[], now: number): Publication[] {
    if (publications.length === 0) return [];
    this.#publisherAt = now;
    return [publisherMessage(this.#rule, ONLINE), ...publications];
  }

  /** With records only from time to time: another device has just said so. */
  #isPublisherDue(now: number): boolean {
    return Math.abs(now - this.#publisherAt) >= PUBLISHER_INTERVAL;
  }
}
