// Keeps Home Assistant told: which devices there are, which have a fresh record, and what it says.
import type { RecordSource } from "../ledger/record-id";
import { type Arrival, sourceOf } from "../mqtt/arrival";
import type { DeviceBook, DeviceProfile } from "./device-book";
import { availabilityTopic, configTopic, deviceConfig, OFFLINE, ONLINE, stateTopic } from "./discovery";
import { entityState } from "./entity-state";
import { Presence } from "./presence";
import type { Publication, PublishRule } from "../mqtt/publication";

/** Home Assistant listens to the topics of a new device only a moment later: the state is then told once more. */
const LISTENING_DELAY = 5000;

/** A device by its id. */
export type Device = [id: string, profile: DeviceProfile];

/** The newest live record of one source. */
interface Latest {
  end: number;
  state: Publication;
  record: Publication[];
}

export class HomeAssistant {
  readonly #announced = new Map<string, { profile: DeviceProfile; delivery?: unknown }>();
  /** Only in memory, so that no restart revives a state. */
  readonly #latest = new Map<string, Partial<Record<RecordSource, Latest>>>();
  readonly #presence: Presence;

  /** Devices that were known before have their time to bring a record, then they are told to be offline. */
  constructor(
    private readonly rule: PublishRule,
    knownIds: string[],
    now: number,
  ) {
    this.#presence = new Presence(rule.expireAfter);
    for (const id of knownIds) this.#presence.expect(id, now);
  }

  /** What is told before the messages of the record itself. `devices`: the one it is of, behind those that it stands under. */
  take(
    devices: Device[],
    arrival: Arrival,
    held: ReadonlySet<string>,
    record: Publication[],
    now: number,
  ): Publication[] {
    const news = this.announce(devices, arrival.delivery);
    for (const [id] of devices) this.#presence.expect(id, now);
    const state = this.#newState(devices, arrival, held, record, now);
    if (!state) return news;
    for (const [id] of devices) {
      this.#presence.seen(id, arrival.end);
      if (news.length > 0) this.#presence.repeat(id, now + LISTENING_DELAY);
    }
    return [...news, ...devices.map(([, profile]) => this.#availability(profile, ONLINE)), state];
  }

  /** The discovery of devices of which Home Assistant does not know everything, or may not: it came with the same delivery. */
  announce(devices: Device[], delivery?: unknown): Publication[] {
    const news = devices.filter(([id, profile]) => {
      const announced = this.#announced.get(id);
      return announced?.profile !== profile || (delivery !== undefined && announced.delivery === delivery);
    });
    return news.map((device) => this.#config(device, delivery));
  }

  /** Home Assistant has started: every device, and the last record of each while it is fresh. */
  birth(book: DeviceBook, now: number): Publication[] {
    return Object.entries(book).flatMap(([id, { profile }]) => {
      this.#presence.repeat(id, now + LISTENING_DELAY);
      const records = this.#fresh(id, now).flatMap(({ record }) => record);
      return [this.#config([id, profile]), ...this.#present(id, profile, now), ...records];
    });
  }

  /** What is to be said by now: a device that has become stale, or a state that nobody may have heard yet. */
  due(book: DeviceBook, now: number): Publication[] {
    return this.#presence.takeDue(now).flatMap((id) => {
      const profile = book[id]?.profile;
      return profile ? this.#present(id, profile, now) : [];
    });
  }

  nextDue(): number | undefined {
    return this.#presence.next();
  }

  /** Takes a device out of Home Assistant. */
  forget([id, profile]: Device): Publication[] {
    this.#announced.delete(id);
    this.#latest.delete(id);
    this.#presence.forget(id);
    const topics = [configTopic(this.rule, profile)];
    if (this.rule.retain) topics.push(availabilityTopic(this.rule, profile));
    return topics.map((topic) => ({ topic, payload: "", retain: true }));
  }

  /** A record that is not of now, or older than the last one, changes no state. */
  #newState(
    devices: Device[],
    arrival: Arrival,
    held: ReadonlySet<string>,
    record: Publication[],
    now: number,
  ): Publication | undefined {
    const device = devices.at(-1);
    if (!device || !arrival.isLive || now - arrival.end >= this.rule.expireAfter) return undefined;
    const [id, profile] = device;
    const source = sourceOf(arrival);
    const latest = this.#latest.get(id);
    if ((latest?.[source]?.end ?? 0) > arrival.end) return undefined;
    const state = {
      topic: stateTopic(this.rule, profile, source),
      payload: JSON.stringify(entityState(arrival.record, source, arrival.end, held)),
      retain: this.rule.retain,
    };
    this.#latest.set(id, { ...latest, [source]: { end: arrival.end, state, record } });
    return state;
  }

  #config([id, profile]: Device, delivery?: unknown): Publication {
    this.#announced.set(id, { profile, delivery });
    const payload = JSON.stringify(deviceConfig(this.rule, profile));
    return { topic: configTopic(this.rule, profile), payload, retain: true };
  }

  #present(id: string, profile: DeviceProfile, now: number): Publication[] {
    const isFresh = this.#presence.isFresh(id, now);
    return [
      this.#availability(profile, isFresh ? ONLINE : OFFLINE),
      ...this.#fresh(id, now).map(({ state }) => state),
    ];
  }

  #fresh(id: string, now: number): Latest[] {
    return Object.values(this.#latest.get(id) ?? {}).filter(({ end }) => now - end < this.rule.expireAfter);
  }

  #availability(profile: DeviceProfile, payload: string): Publication {
    return { topic: availabilityTopic(this.rule, profile), payload, retain: this.rule.retain };
  }
}
