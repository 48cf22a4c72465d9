// The table of known devices: what messages reveal about them, the names that site lists give them, and which are gone.
import { isDeepStrictEqual } from "node:util";
import { setNewest } from "../../bounded-map";
import { MAX_DEVICES } from "../../limits";
import type { Site } from "../../models/site";
import type { SeriesAddress } from "../../series/identity";
import { seriesTopic } from "../publications";
import { alertsId } from "./alerts";
import { addressOf, type Device, type Devices, merged, parentsFirst } from "./device";
import { deviceId } from "./discovery";
import type { ReadingsDevice } from "./readings";
import { countAbsence, type Facts, factsIn, isGone, listedIn } from "./site-lists";

export class DeviceTable {
  readonly #prefix: string;
  /** By topic of the site or system. */
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

  /** Of all devices; undefined for the alerts of the account. */
  get siteIds(): Set<string | undefined> {
    return new Set([...this.#devices.values()].map(({ profile }) => profile.siteId));
  }

  readings(address: SeriesAddress): ReadingsDevice | undefined {
    const device = this.#devices.get(deviceId(this.#prefix, address));
    return device?.kind === "readings" ? device : undefined;
  }

  /**
   * Adds what a message reveals to the device with this id. Undefined if it is new and there are too many, or has nothing to show.
   * @param isSeen whether the message shows that the device exists, whatever site lists say
   */
  note(found: Device, isSeen = true): Device | undefined {
    const known = this.#devices.get(found.id);
    const { absence: _ended, ...device } = merged(known, found);
    if (device.kind === "equipment" && device.profile.fields.length === 0) return undefined;
    if (!known && this.#devices.size >= MAX_DEVICES) return undefined;
    const absence = isSeen ? undefined : known?.absence;
    return this.#set(known, { ...this.#named(device), ...(absence && { absence }) });
  }

  /**
   * Learns which sites and systems exist, and their names and models. Returns those that have been missing from every complete
   * list for long enough, which are forgotten. Yields after each step of the work. `now` in milliseconds.
   */
  *learn(sites: Site[], isComplete: boolean, now: number): Generator<readonly never[], Device[]> {
    for (const site of sites) {
      for (const [address, facts] of factsIn(site))
        setNewest(this.#facts, seriesTopic("", address), facts, MAX_DEVICES);
      yield [];
    }
    const isListed = listedIn(sites);
    const gone: Device[] = [];
    for (const device of this.#devices.values()) {
      yield [];
      const address = addressOf(device);
      const isMissing = address !== undefined && !isListed(address);
      const { absence: known, ...rest } = this.#named(device);
      const counted = isComplete ? countAbsence(known, now) : known;
      const absence = isMissing ? counted : undefined;
      this.#set(device, { ...rest, ...(absence && { absence }) });
      if (isComplete && absence && isGone(absence, now)) gone.push(device);
    }
    for (const { id } of gone) this.#devices.delete(id);
    return parentsFirst(gone).toReversed();
  }

  /** The nearest device that equipment can be linked to: that of its system, else that of its site. */
  parentId(device: Device): string | undefined {
    if (device.kind !== "equipment") return undefined;
    const { siteId } = device.profile;
    const [system, site] = [deviceId(this.#prefix, device.profile), deviceId(this.#prefix, { siteId })];
    if (this.#devices.has(system)) return system;
    return this.#devices.has(site) || this.#devices.has(alertsId(this.#prefix, siteId)) ? site : undefined;
  }

  /** Only what has changed becomes a new object, so that nothing else is announced or written. */
  #set(known: Device | undefined, next: Device): Device {
    const profile = { profile: kept(known?.profile, next.profile) };
    const device = kept(known, Object.assign(next, profile));
    this.#devices.set(device.id, device);
    return device;
  }

  /** With the name of its site and the name and model of its system, as the latest site lists have them. */
  #named(device: Device): Device {
    const address = addressOf(device);
    if (device.kind === "equipment" || !address) return device;
    const { siteId, systemId } = address;
    // After a restart, only the readings of the site may know its name.
    const siteName = device.kind === "alerts" ? this.readings({ siteId })?.profile.siteName : undefined;
    const facts = {
      ...(siteName !== undefined && { siteName }),
      ...this.#facts.get(seriesTopic("", { siteId })),
      ...(systemId !== undefined && this.#facts.get(seriesTopic("", address))),
    };
    return Object.assign({ ...device }, { profile: { ...device.profile, ...facts } });
  }
}

function kept<Value>(known: Value | undefined, next: Value): Value {
  return known !== undefined && isDeepStrictEqual(known, next) ? known : next;
}
