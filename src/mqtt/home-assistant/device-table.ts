// The table of known devices: what records, alerts, the details of sites and site lists reveal about them.
import { isDeepStrictEqual } from "node:util";
import type { SeriesAddress } from "../../series/identity";
import { MAX_DEVICES, MAX_RETAINED } from "../../limits";
import type { AlertUpdate } from "../../messages/reader";
import type { Site } from "../../models/site";
import { type AlertsDevice, alertsId, openAfter } from "./alerts";
import { addressOf, type Device, type Devices, parentsFirst } from "./device";
import { deviceId } from "./discovery";
import { type EquipmentDevice, mergedEquipment } from "./equipment";
import { mergedProfile, type ReadingsDevice, type ReadingsProfile } from "./readings";
import { type Absence, countAbsence, isGone, listedIn, SiteFacts } from "./site-lists";

type Kind = Device["kind"];
type DeviceOf<K extends Kind> = Extract<Device, { kind: K }>;

export class DeviceTable {
  readonly #prefix: string;
  readonly #sites = new SiteFacts();
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
    return this.#find("readings", deviceId(this.#prefix, address));
  }

  /** Notes what a record, or totals, reveal about a device; undefined if it is new and there are too many. */
  noteReadings(
    profile: ReadingsProfile,
    added: Partial<Pick<ReadingsDevice, "counters" | "last" | "totals" | "retained">> = {},
  ): ReadingsDevice | undefined {
    const known = this.readings(profile);
    // A device that has sent a record exists, whatever site lists say.
    const { absence: _ended, ...device } = known ?? { counters: {}, retained: [] };
    const named = this.#named(known ? mergedProfile(known.profile, profile) : profile);
    return this.#note(known, {
      kind: "readings",
      id: known?.id ?? deviceId(this.#prefix, profile),
      ...device,
      ...added,
      retained: union(device.retained, added.retained),
      profile: kept(known?.profile, named),
    });
  }

  /**
   * Notes the alerts of a site or of the account; undefined if they are new and there are too many devices. `now` in
   * milliseconds.
   * @param isSeen whether the update shows that the site exists
   */
  noteAlerts(update: AlertUpdate, isSeen: boolean, now: number): AlertsDevice | undefined {
    const { siteId } = update;
    const id = alertsId(this.#prefix, siteId);
    const known = this.#find("alerts", id);
    // After a restart, only the readings of the site may know its name.
    const { siteName } = (siteId !== undefined && this.readings({ siteId })?.profile) || {};
    const profile = this.#named({
      ...known?.profile,
      ...(siteId === undefined ? {} : { siteId }),
      ...(siteName === undefined ? {} : { siteName }),
    });
    return this.#note(known, {
      kind: "alerts",
      id,
      profile: kept(known?.profile, profile),
      open: kept(known?.open, openAfter(known?.open ?? [], update)),
      asOf: now,
      ...(known?.absence === undefined || isSeen ? {} : { absence: known.absence }),
    });
  }

  /** Notes a device in the details of a site; undefined if it has never had a value, or is new and there are too many. */
  noteEquipment(found: EquipmentDevice): EquipmentDevice | undefined {
    const known = this.#find("equipment", found.id);
    const device = known ? mergedEquipment(known, found) : found;
    if (device.profile.fields.length === 0) return undefined;
    return this.#note(known, { ...device, profile: kept(known?.profile, device.profile) });
  }

  /**
   * Learns which sites and systems exist, and their names and models. Returns the devices with another name or model, and
   * those that have been missing from every complete list for long enough, which are forgotten. Yields after each step of the
   * work. `now` in milliseconds.
   */
  *learn(
    sites: Site[],
    isComplete: boolean,
    now: number,
  ): Generator<readonly never[], { changed: Device[]; gone: Device[] }> {
    for (const site of sites) {
      this.#sites.learn(site);
      yield [];
    }
    const isListed = listedIn(sites);
    const changed: Device[] = [];
    const gone: Device[] = [];
    for (const device of this.#devices.values()) {
      yield [];
      const address = addressOf(device);
      const isMissing = address !== undefined && !isListed(address);
      const absence = isMissing && isComplete ? countAbsence(device.absence, now) : device.absence;
      if (isMissing && isComplete && absence && isGone(absence, now)) {
        this.#devices.delete(device.id);
        gone.push(device);
        continue;
      }
      const next = withAbsence(this.#renamed(device), isMissing ? absence : undefined);
      if (next.profile !== device.profile) changed.push(next);
      this.#note(device, next);
    }
    return { changed, gone: parentsFirst(gone).toReversed() };
  }

  /** The nearest device that equipment can be linked to: that of its system, else that of its site. */
  parentId(device: Device): string | undefined {
    if (device.kind !== "equipment") return undefined;
    const { siteId } = device.profile;
    const [system, site] = [deviceId(this.#prefix, device.profile), deviceId(this.#prefix, { siteId })];
    if (this.#devices.has(system)) return system;
    return this.#devices.has(site) || this.#devices.has(alertsId(this.#prefix, siteId)) ? site : undefined;
  }

  #find<K extends Kind>(kind: K, id: string): DeviceOf<K> | undefined {
    const device = this.#devices.get(id);
    return device && isOfKind(kind, device) ? device : undefined;
  }

  /** Only what has changed becomes a new object, so that nothing else is announced or written. */
  #note<D extends Device>(known: D | undefined, next: D): D | undefined {
    if (!known && this.#devices.size >= MAX_DEVICES) return undefined;
    const device = kept(known, next);
    this.#devices.set(device.id, device);
    return device;
  }

  #renamed<D extends Device>(device: D): D {
    if (device.kind === "equipment") return device;
    return { ...device, profile: kept(device.profile, this.#named(device.profile)) };
  }

  /** With the name of its site and the model of its system, as the latest site lists have them. */
  #named<Profile extends Partial<SeriesAddress>>(profile: Profile): Profile {
    const { siteId, systemId } = profile;
    return siteId === undefined ? profile : { ...profile, ...this.#sites.of({ siteId, systemId }) };
  }
}

function isOfKind<K extends Kind>(kind: K, device: Device): device is DeviceOf<K> {
  return device.kind === kind;
}

function kept<Value>(known: Value | undefined, next: Value): Value {
  return known !== undefined && isDeepStrictEqual(known, next) ? known : next;
}

/** `known` itself if nothing is added. A service may have a thousand fields; topics beyond these are not remembered. */
function union(known: readonly string[], added: readonly string[] = []): readonly string[] {
  const all = new Set(known);
  for (const one of added) if (all.size < MAX_RETAINED) all.add(one);
  return all.size === known.length ? known : [...all];
}

function withAbsence(device: Device, absence: Absence | undefined): Device {
  const { absence: _known, ...rest } = device;
  return absence === undefined ? rest : { ...rest, absence };
}
