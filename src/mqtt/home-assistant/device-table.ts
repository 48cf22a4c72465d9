// The table of known devices: what messages reveal about them, the names that site lists give them, and which are gone.
import { isDeepStrictEqual } from "node:util";
import { setNewest } from "../../bounded-map";
import { MAX_DEVICES } from "../../limits";
import type { Site } from "../../models/site";
import {
  type Device,
  deviceId,
  type Devices,
  type Find,
  type Found,
  merged,
  type Place,
  type Profile,
} from "./device";
import { countAbsence, type Facts, factsIn, isGone, listedIn } from "./site-lists";

export class DeviceTable {
  readonly #prefix: string;
  /** By id of the site or system. */
  readonly #facts = new Map<string, Facts>();
  readonly #devices: Map<string, Device>;

  /** `prefix` is the topic prefix, which the ids of the devices begin with; `devices` as stored. */
  constructor(prefix: string, devices: Devices) {
    this.#prefix = prefix;
    this.#devices = new Map(devices);
  }

  /** A device that has changed is a new object. */
  get devices(): Devices {
    return this.#devices;
  }

  readonly find: Find = (place) => this.#devices.get(deviceId(this.#prefix, place));

  /** Adds what a message reveals. Undefined if the device is new and there are too many, or has nothing to show. */
  note(found: Found): Device | undefined {
    const id = deviceId(this.#prefix, found.profile);
    const known = this.#devices.get(id);
    const { absence, ...device } = merged(id, known, found);
    if (!isShown(device) && device.retained?.length === 0) return undefined;
    if (!known && this.#devices.size >= MAX_DEVICES) return undefined;
    return this.#set(known, { ...device, ...(absence && found.isSeen === false && { absence }) });
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
      yield [];
      const { absence: known, ...rest } = device;
      const counted = isComplete ? countAbsence(known, now) : known;
      const absence = isListed(device.profile) ? undefined : counted;
      this.#set(device, { ...rest, ...(absence && { absence }) });
      if (isComplete && absence && isGone(absence, now)) gone.push(device);
    }
    for (const { id } of gone) this.#devices.delete(id);
    return sorted(gone).toReversed();
  }

  /** The nearest device that it belongs to. */
  parentId({ profile: { siteId, systemId, key } }: Device): string | undefined {
    const places: Place[] = siteId === undefined ? [] : [{ siteId }];
    if (systemId !== undefined) places.unshift({ siteId, systemId });
    const parents = places.map(this.find).filter((device) => device !== undefined);
    return parents.find(
      (device) => isShown(device) && (key !== undefined || device.profile.systemId !== systemId),
    )?.id;
  }

  /** Only what has changed becomes a new object, so that nothing else is announced or written. */
  #set(known: Device | undefined, next: Device): Device {
    const profile = kept(known?.profile, { ...next.profile, ...this.#factsOf(next.profile) });
    const device = kept(known, { ...next, profile });
    this.#devices.set(device.id, device);
    return device;
  }

  /** The name of its site, and the name and model of its system, as the latest site lists have them. */
  #factsOf({ siteId, systemId, key }: Profile): Facts {
    if (key !== undefined || this.#facts.size === 0) return {};
    const site = this.#facts.get(deviceId(this.#prefix, { siteId }));
    const system = this.#facts.get(deviceId(this.#prefix, { siteId, systemId }));
    return { ...site, ...system };
  }
}

/** Whether Home Assistant knows it, not only the broker. */
export function isShown({ profile }: Device): boolean {
  return profile.entities.length > 0;
}

/** What others belong to comes first. */
export function sorted(devices: Iterable<Device>): Device[] {
  return [...devices].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function kept<Value>(known: Value | undefined, next: Value): Value {
  return known !== undefined && isDeepStrictEqual(known, next) ? known : next;
}
