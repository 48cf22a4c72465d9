// The table of known devices: what records and site lists reveal about them.
import type { SourceName } from "../../ledger/record-id";
import type { Absence } from "./absence";
import type { Counters } from "./counters";
import { deviceId } from "./device-id";
import {
  type DeviceProfile,
  type KnownDevice,
  type KnownDevices,
  type LastRecord,
  mergedProfile,
} from "./known-devices";

/** A device with its id. */
export type Device = readonly [id: string, device: KnownDevice];

export class DeviceTable {
  readonly #prefix: string;
  readonly #devices: Map<string, KnownDevice>;

  /** `prefix` is the topic prefix, which the ids of the devices begin with. */
  constructor(prefix: string, stored: KnownDevices) {
    this.#prefix = prefix;
    this.#devices = new Map(stored);
  }

  /** A device that has changed is a new object. */
  get devices(): KnownDevices {
    return this.#devices;
  }

  get(profile: Pick<DeviceProfile, "siteId" | "systemId">): KnownDevice | undefined {
    return this.#devices.get(deviceId(this.#prefix, profile));
  }

  /** Adds what is new about a device. */
  merge(added: DeviceProfile, counters?: Counters): Device {
    const id = deviceId(this.#prefix, added);
    const known = this.#devices.get(id);
    const profile = mergedProfile(known?.profile, added);
    const isSame = profile === known?.profile && (counters ?? known.counters) === known.counters;
    if (isSame) return [id, known];
    return this.#write(id, { retained: [], ...known, profile, counters: counters ?? known?.counters ?? {} });
  }

  /** Notes the last record of a series, unless a newer one is known. */
  noteLast([id, device]: Device, source: SourceName, last: LastRecord): Device | undefined {
    const known = device.last?.[source];
    if (known && known.end > last.end) return undefined;
    return this.#write(id, { ...device, last: { ...device.last, [source]: last } });
  }

  /** Notes that site lists do not have a device, or that it is there again. */
  setAbsence([id, device]: Device, absence: Absence | undefined): Device {
    if (device.absence === absence) return [id, device];
    const { absence: _known, ...rest } = device;
    return this.#write(id, absence === undefined ? rest : { ...rest, absence });
  }

  /** Notes topics of a device with a retained message. */
  noteRetained([id, device]: Device, topics: string[]): Device {
    const retained = [...new Set([...device.retained, ...topics])];
    return retained.length > device.retained.length ? this.#write(id, { ...device, retained }) : [id, device];
  }

  /** Removes devices and returns them: a system before the site that it is linked to. */
  remove(isGone: (device: KnownDevice) => boolean): Device[] {
    const gone = [...this.#devices].filter(([, device]) => isGone(device)).toReversed();
    for (const [id] of gone) this.#devices.delete(id);
    return gone;
  }

  #write(id: string, device: KnownDevice): Device {
    this.#devices.set(id, device);
    return [id, device];
  }
}
