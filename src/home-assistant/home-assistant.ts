// Keeps Home Assistant up to date: which devices there are, which of them have a fresh record, and their state.
import type { SourceName } from "../ledger/record-id";
import { sourceOf } from "../messages/series";
import type { IncomingRecord } from "../mqtt/incoming-record";
import type { Publication, PublishRule } from "../mqtt/publication";
import { availabilityTopic, configTopic, deviceConfig, OFFLINE, ONLINE, stateTopic } from "./discovery";
import { entityState } from "./entity-state";
import type { DeviceProfile, KnownDevices } from "./known-devices";
import { Presence } from "./presence";

/** Home Assistant subscribes to a new device only after a moment, so its state is published once more, in milliseconds. */
const SUBSCRIBE_DELAY = 5000;

/** A device with its id. */
export type Device = [id: string, profile: DeviceProfile];

/** A record and what goes with it. */
export interface RecordUpdate extends IncomingRecord {
  /** Counters that must not be passed on, as GROUP/FIELD. */
  held: ReadonlySet<string>;
  /** The messages of the record itself. */
  own: Publication[];
}

/** The newest live record of one series. */
interface Latest {
  end: number;
  state: Publication;
  own: Publication[];
}

export class HomeAssistant {
  readonly #rule: PublishRule;
  readonly #announced = new Map<string, { profile: DeviceProfile; delivery?: unknown }>();
  /** In memory only, so that a restart does not bring back an old state. */
  readonly #latest = new Map<string, Partial<Record<SourceName, Latest>>>();
  readonly #presence: Presence;

  /** Devices that were known before have `expireAfter` to send a record, then they are offline. `now` in milliseconds. */
  constructor(rule: PublishRule, knownIds: string[], now: number) {
    this.#rule = rule;
    this.#presence = new Presence(rule.expireAfter);
    for (const id of knownIds) this.#presence.expect(id, now);
  }

  /** What is published before the messages of a record. `devices`: its own device, after those that it is connected via. */
  update(devices: Device[], record: RecordUpdate, now: number): Publication[] {
    const announced = this.announce(devices, record.delivery);
    for (const [id] of devices) this.#presence.expect(id, now);
    const state = this.#newState(devices, record, now);
    if (!state) return announced;
    for (const [id] of devices) {
      this.#presence.seen(id, record.end);
      if (announced.length > 0) this.#presence.repeat(id, now + SUBSCRIBE_DELAY);
    }
    return [...announced, ...devices.map(([, profile]) => this.#availability(profile, ONLINE)), state];
  }

  /** The discovery of devices that have changed, or whose last discovery came with the same delivery and may be lost. */
  announce(devices: Device[], delivery?: unknown): Publication[] {
    const changed = devices.filter(([id, profile]) => {
      const announced = this.#announced.get(id);
      return announced?.profile !== profile || (delivery !== undefined && announced.delivery === delivery);
    });
    return changed.map((device) => this.#config(device, delivery));
  }

  /** What Home Assistant needs when it has started: every device, and the last record of each while it is fresh. */
  birth(devices: KnownDevices, now: number): Publication[] {
    return Object.entries(devices).flatMap(([id, { profile }]) => {
      this.#presence.repeat(id, now + SUBSCRIBE_DELAY);
      const records = this.#fresh(id, now).flatMap(({ own }) => own);
      return [this.#config([id, profile]), ...this.#present(id, profile, now), ...records];
    });
  }

  /** What is due now: devices that have become stale, and states that Home Assistant may have missed. */
  due(devices: KnownDevices, now: number): Publication[] {
    return this.#presence.takeDue(now).flatMap((id) => {
      const profile = devices[id]?.profile;
      return profile ? this.#present(id, profile, now) : [];
    });
  }

  /** When something is due next, in milliseconds; undefined for never. */
  nextDue(): number | undefined {
    return this.#presence.next();
  }

  /** Removes a device from Home Assistant. */
  remove([id, profile]: Device): Publication[] {
    this.#announced.delete(id);
    this.#latest.delete(id);
    this.#presence.forget(id);
    const topics = [configTopic(this.#rule, profile)];
    if (this.#rule.retain) topics.push(availabilityTopic(this.#rule, profile));
    return topics.map((topic) => ({ topic, payload: "", retain: true }));
  }

  /** Undefined for backlog, and for a record that is older than the last one: they change no state. */
  #newState(devices: Device[], update: RecordUpdate, now: number): Publication | undefined {
    const { record, end, isLive, held, own } = update;
    const device = devices.at(-1);
    if (!device || !isLive || now - end >= this.#rule.expireAfter) return undefined;
    const [id, profile] = device;
    const source = sourceOf(record);
    const latest = this.#latest.get(id);
    if ((latest?.[source]?.end ?? 0) > end) return undefined;
    const state = {
      topic: stateTopic(this.#rule, profile, source),
      payload: JSON.stringify(entityState(record, source, end, held)),
      retain: this.#rule.retain,
    };
    this.#latest.set(id, { ...latest, [source]: { end, state, own } });
    return state;
  }

  #config([id, profile]: Device, delivery?: unknown): Publication {
    this.#announced.set(id, { profile, delivery });
    const payload = JSON.stringify(deviceConfig(this.#rule, profile));
    return { topic: configTopic(this.#rule, profile), payload, retain: true };
  }

  #present(id: string, profile: DeviceProfile, now: number): Publication[] {
    const isFresh = this.#presence.isFresh(id, now);
    return [
      this.#availability(profile, isFresh ? ONLINE : OFFLINE),
      ...this.#fresh(id, now).map(({ state }) => state),
    ];
  }

  #fresh(id: string, now: number): Latest[] {
    const latest = Object.values(this.#latest.get(id) ?? {});
    return latest.filter(({ end }) => now - end < this.#rule.expireAfter);
  }

  #availability(profile: DeviceProfile, payload: string): Publication {
    return { topic: availabilityTopic(this.#rule, profile), payload, retain: this.#rule.retain };
  }
}
