// The known devices, kept across restarts: what messages reveal about them, the names that site lists give them, and which are gone.
import { isDeepStrictEqual } from "node:util";
import { setNewest } from "../../bounded-map";
import { MAX_DEVICES, MAX_RETAINED } from "../../limits";
import { inTurns } from "../../loop-turns";
import { isServiceObject } from "../../models/service-object";
import { mapOf, optional, partOf, readerOf, text } from "../../models/shape";
import { type Site, siteIdOf, systemIdOf, systemsOf } from "../../models/site";
import { defined } from "../../objects";
import type { SeriesAddress } from "../../series/identity";
import { shownSite } from "../../series/site-memory";
import { shownName } from "../../shown-text";
import type { StateGroup } from "../../stored-state";
import { HOUR, MINUTE } from "../../time-units";
import type { Publication } from "../publications";
import {
  type Device,
  deviceId,
  deviceTopic,
  type Find,
  type Found,
  type Place,
  type Profile,
} from "./device";

/** A device no longer exists after so many lists in a row without it, for so long: one list may be incomplete. */
const MISSING_LISTS = 3;
const MISSING_FOR = 24 * HOUR;

/**
 * How long counters and states may wait to be saved, in milliseconds. The next message brings them again after a crash; until
 * then, a drop of a counter by less than it has risen since is not noticed.
 */
const STATE_INTERVAL = 15 * MINUTE;

/** What the next message about a device does not bring again. */
const LASTING = ["profile", "absence", "open", "retained"] as const;

type Facts = Pick<Profile, "siteName" | "systemName" | "model" | "inverterType">;

export class DeviceTable {
  readonly #prefix: string;
  /** By id of the site or system. */
  readonly #facts = new Map<string, Facts>();
  readonly #devices: Map<string, Device>;
  readonly #group: StateGroup<Device> | undefined;
  /** Whether each device that differs from what is saved, by its id, must survive a crash as it is. */
  readonly #unsaved = new Map<string, boolean>();

  /**
   * `prefix` is the topic prefix, which the ids of the devices begin with; `devices` as stored in the group. Without a group, they
   * last as long as this object.
   */
  constructor(prefix: string, devices: Iterable<Device> = [], group?: StateGroup<Device>) {
    this.#prefix = prefix;
    this.#devices = new Map(Array.from(devices, (device) => [device.id, device]));
    this.#group = group;
  }

  /** By id. A device that has changed is a new object. */
  get devices(): ReadonlyMap<string, Device> {
    return this.#devices;
  }

  readonly find: Find = (place) => this.#devices.get(deviceId(this.#prefix, place));

  /** Adds what a message reveals. Undefined if the device is new and there are too many, or has nothing to show. */
  note({ profile: added, isSeen = true, event: _event, ...rest }: Found): Device | undefined {
    const id = deviceId(this.#prefix, added);
    const known = this.#devices.get(id);
    const { profile: before, absence, ...others } = known ?? {};
    const profile: Profile = {
      ...before,
      ...added,
      entities: [...new Set([...(before?.entities ?? []), ...(added.entities ?? [])])],
      basis: { ...before?.basis, ...added.basis },
      units: { ...before?.units, ...added.units },
    };
    if (profile.entities.length === 0 || (!known && this.#devices.size >= MAX_DEVICES)) return undefined;
    const states = { ...known?.states, ...rest.states };
    return this.set({ ...others, ...rest, id, profile, states, ...(absence && !isSeen && { absence }) });
  }

  /** Remembers the topics of messages about a device, if the broker retains them. */
  retain(place: Place, messages: readonly Publication[]): void {
    const device = this.find(place);
    if (!device || !messages[0]?.retain) return;
    const start = deviceTopic(this.#prefix, place).length + 1;
    const ends = messages.map(({ topic }) => topic.slice(start));
    const retained = [...new Set([...(device.retained ?? []), ...ends])].slice(-MAX_RETAINED);
    this.set({ ...device, retained });
  }

  /** Only what has changed becomes a new object, so that nothing else is announced or written. */
  set(next: Device): Device {
    const { id, profile: given } = next;
    const known = this.#devices.get(id);
    const parent = defined({ parentId: this.#parentOf(given)?.id });
    const profile = kept(known?.profile, { ...given, ...this.#factsOf(given), ...parent });
    const device = kept(known, { ...next, profile });
    if (device === known) return known;
    const isLasting = !known || LASTING.some((name) => !isDeepStrictEqual(known[name], device[name]));
    this.#unsaved.set(id, isLasting || this.#unsaved.get(id) === true);
    this.#devices.set(id, device);
    return device;
  }

  /**
   * Learns which sites and systems exist, and their names and models. Returns those that have been missing from every complete
   * list for long enough, which are forgotten. Yields after each step of the work. `now` in milliseconds.
   */
  *learn(sites: Site[], isComplete: boolean, now: number): Generator<readonly never[], Device[]> {
    for (const site of sites) {
      for (const [address, facts] of factsIn(site))
        setNewest(this.#facts, deviceId(this.#prefix, address), facts, MAX_DEVICES);
      yield [];
    }
    const isListed = listedIn(sites);
    const gone: Device[] = [];
    for (const device of this.#devices.values()) {
      const isMissing = !isListed(device.profile);
      // The details of a site say nothing about the others.
      if (isMissing && !isComplete) continue;
      yield [];
      const { absence: known, ...rest } = device;
      const { since, lists } = known ?? { since: now, lists: 0 };
      const absence = isMissing ? { since, lists: lists + 1 } : undefined;
      this.set({ ...rest, ...(absence && { absence }) });
      if (absence && absence.lists >= MISSING_LISTS && now - since >= MISSING_FOR) gone.push(device);
    }
    for (const { id } of gone) {
      this.#devices.delete(id);
      this.#unsaved.set(id, true);
    }
    return sorted(gone).toReversed();
  }

  /**
   * Writes now what must survive a crash, and removes what is gone. Rejects with StoreError; the next call tries that again.
   */
  async save(): Promise<void> {
    const unsaved = [...this.#unsaved];
    this.#unsaved.clear();
    const writes: Promise<void>[] = [];
    await inTurns(unsaved, ([id, isLasting]) => {
      const written = this.#group?.save(id, this.#devices.get(id), isLasting ? 0 : STATE_INTERVAL);
      // A failure is noticed by the next call, at the latest.
      written?.catch(() => this.#unsaved.set(id, true));
      if (written && isLasting) writes.push(written);
    });
    await Promise.all(writes);
  }

  async flush(): Promise<void> {
    await this.#group?.flush();
  }

  /** The nearest device that it belongs to, if it is known. */
  #parentOf({ siteId, systemId, key }: Place): Device | undefined {
    const isPart = key !== undefined;
    const system = isPart && systemId !== undefined ? this.find({ siteId, systemId }) : undefined;
    const hasSite = siteId !== undefined && (isPart || systemId !== undefined);
    return system ?? (hasSite ? this.find({ siteId }) : undefined);
  }

  /** The name of its site, and the name and model of its system, as the latest site lists have them. */
  #factsOf({ siteId, systemId, key }: Profile): Facts {
    if (key !== undefined || this.#facts.size === 0) return {};
    const site = this.#facts.get(deviceId(this.#prefix, { siteId }));
    const system = this.#facts.get(deviceId(this.#prefix, { siteId, systemId }));
    return { ...site, ...system };
  }
}

const ID = optional(text);

const DEVICE = partOf<Device>({
  id: text,
  profile: { siteId: ID, systemId: ID, entities: [text], basis: mapOf(text), units: mapOf(text) },
  states: mapOf({ payload: isServiceObject }),
});

export const readDevice = readerOf(DEVICE);

/** What others belong to comes first. */
export function sorted(devices: Iterable<Device>): Device[] {
  return [...devices].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function kept<Value>(known: Value | undefined, next: Value): Value {
  return known !== undefined && isDeepStrictEqual(known, next) ? known : next;
}

/** What an answer shows of a site and of each of its systems. */
function* factsIn(site: Site): Iterable<[SeriesAddress, Facts]> {
  const { siteId, name: siteName, systems } = shownSite(site);
  if (siteName !== undefined) yield [{ siteId }, { siteName }];
  for (const { systemId, name: systemName, generation, equipment } of systems) {
    const facts = { systemName, model: shownName(generation), inverterType: shownName(equipment?.solar) };
    if (systemId !== undefined) yield [{ siteId, systemId }, defined(facts)];
  }
}

/** Tells whether a list contains a site or system. A site that comes without its systems may have any of them. */
function listedIn(sites: Site[]): (place: Place) => boolean {
  /** By site; undefined stands for any system. */
  const listed = new Map<string, Set<string | undefined>>();
  for (const site of sites) {
    const systems = Array.isArray(site.systems) ? systemsOf(site) : [{}];
    const known = listed.get(siteIdOf(site)) ?? [];
    listed.set(siteIdOf(site), new Set([...known, ...systems.map(systemIdOf)]));
  }
  return ({ siteId, systemId }) => {
    // The account always exists.
    if (siteId === undefined) return true;
    const systems = listed.get(siteId);
    if (systemId === undefined) return systems !== undefined;
    return [systemId, undefined].some((id) => systems?.has(id));
  };
}
