// Keeps Home Assistant up to date: its devices, their availability and their state.
import type { SourceName } from "../ledger/record-id";
import { sourceOf } from "../messages/series";
import type { IncomingRecord } from "../mqtt/incoming-record";
import type { Publication, PublishRule } from "../mqtt/publication";
import { availabilityTopic, configTopic, deviceConfig, OFFLINE, ONLINE, stateTopic } from "./discovery";
import { entityState } from "./entity-state";
import type { DeviceProfile, KnownDevices } from "./known-devices";
import { Presence } from "./presence";

/** Milliseconds until a new device's state is republished, because Home Assistant takes a moment to subscribe. */
const SUBSCRIBE_DELAY = 5000;

/** A device with its id. */
export type Device = [id: string, profile: DeviceProfile];

/** A record, and what is derived from it. */
export interface RecordUpdate extends IncomingRecord {
  /** Counters not to publish, as GROUP/FIELD. */
  suppressed: ReadonlySet<string>;
  /** The messages that carry the record itself. */
  messages: Publication[];
}

/** The newest live record of one series. */
interface Latest {
  end: number;
  state: Publication;
  messages: Publication[];
}

export class HomeAssistant {
  readonly #rule: PublishRule;
  readonly #announced = new Map<string, { profile: DeviceProfile; delivery?: unknown }>();
  /** Not stored, so that a restart never republishes an old state. */
  readonly #latest = new Map<string, Partial<Record<SourceName, Latest>>>();
  readonly #presence: Presence;

  /** Known devices are offline unless they send a record within `expireAfter`. `now` in milliseconds. */
  constructor(rule: PublishRule, knownIds: string[], now: number) {
    this.#rule = rule;
    this.#presence = new Presence(rule.expireAfter);
    for (const id of knownIds) this.#presence.expect(id, now);
  }

  /** What to publish before the record itself. The last of `devices` is the record's own, after the site it is linked to. */
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

  /** Discovery of devices that have changed, or whose last discovery was part of the same delivery and may be lost. */
  announce(devices: Device[], delivery?: unknown): Publication[] {
    const changed = devices.filter(([id, profile]) => {
      const announced = this.#announced.get(id);
      return announced?.profile !== profile || (delivery !== undefined && announced.delivery === delivery);
    });
    return changed.map((device) => this.#config(device, delivery));
  }

  /** What Home Assistant needs after it starts: every device, and its last record if that is still fresh. */
  birth(devices: KnownDevices, now: number): Publication[] {
    return Object.entries(devices).flatMap(([id, { profile }]) => {
      this.#presence.repeat(id, now + SUBSCRIBE_DELAY);
      const records = this.#fresh(id, now).flatMap(({ messages }) => messages);
      return [this.#config([id, profile]), ...this.#present(id, profile, now), ...records];
    });
  }

  /** What is due now: devices that have become stale, and states that Home Assistant may have missed. Times in ms. */
  due(devices: KnownDevices, now: number): Publication[] {
    return this.#presence.popDue(now).flatMap((id) => {
      const profile = devices[id]?.profile;
      return profile ? this.#present(id, profile, now) : [];
    });
  }

  /** When to call `due` next, in milliseconds; undefined = never. */
  nextDue(): number | undefined {
    return this.#presence.next();
  }

  /** Forgets a device and clears its retained messages. */
  remove([id, profile]: Device): Publication[] {
    this.#announced.delete(id);
    this.#latest.delete(id);
    this.#presence.forget(id);
    const topics = [configTopic(this.#rule, profile)];
    if (this.#rule.retain) topics.push(availabilityTopic(this.#rule, profile));
    return topics.map((topic) => ({ topic, payload: "", retain: true }));
  }

  /** Undefined for backlog and for a record older than the last one, which change no state. */
  #newState(devices: Device[], update: RecordUpdate, now: number): Publication | undefined {
    const { record, end, isLive, suppressed, messages } = update;
    const device = devices.at(-1);
    if (!device || !isLive || now - end >= this.#rule.expireAfter) return undefined;
    const [id, profile] = device;
    const source = sourceOf(record);
    const latest = this.#latest.get(id);
    if ((latest?.[source]?.end ?? 0) > end) return undefined;
    const state = {
      topic: stateTopic(this.#rule, profile, source),
      payload: JSON.stringify(entityState(record, source, end, suppressed)),
      retain: this.#rule.retain,
    };
    this.#latest.set(id, { ...latest, [source]: { end, state, messages } });
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
