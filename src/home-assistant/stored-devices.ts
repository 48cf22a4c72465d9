// Stores the known devices: only what has changed, and counters, which rise with every record, only now and then.
import type { StateGroup } from "../stored-state";
import { MINUTE } from "../time-units";
import { deviceId } from "./device-id";
import type { KnownDevice, KnownDevices } from "./known-devices";

/**
 * How long a device's counters may remain unsaved, in milliseconds. The next record brings them again after a crash;
 * until then, a drop by less than they have risen since is not noticed.
 */
const COUNTER_INTERVAL = 15 * MINUTE;
/** How many files a flush writes at a time, so that closing a node with many devices does not take long. */
const PARALLEL_WRITES = 8;

interface Saved {
  device: KnownDevice;
  /** In milliseconds. */
  at: number;
}

export class StoredDevices {
  readonly #prefix: string;
  readonly #group: StateGroup<KnownDevice>;
  readonly #saved = new Map<string, Saved>();
  /** The ids to write or remove. One that fails goes to the end, so that it does not hold up the others. */
  readonly #pending = new Set<string>();
  #devices: KnownDevices = new Map();

  /** `prefix` is the topic prefix, which the ids of the devices begin with. */
  constructor(prefix: string, group: StateGroup<KnownDevice>) {
    this.#prefix = prefix;
    this.#group = group;
  }

  /** A site comes before its systems. `now` in milliseconds. Rejects with StoreError. */
  async load(now: number): Promise<KnownDevices> {
    const stored = await this.#group.load();
    const devices = stored.map((device) => [deviceId(this.#prefix, device.profile), device] as const);
    // The id of a system begins with that of its site.
    devices.sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [id, device] of devices) this.#saved.set(id, { device, at: now });
    this.#devices = new Map(devices);
    return this.#devices;
  }

  /**
   * Writes the devices that must survive a crash now, and removes those that are gone. `now` in milliseconds. Rejects with
   * StoreError; the next call tries the rest.
   */
  async save(devices: KnownDevices, now: number): Promise<void> {
    this.#note(devices, (saved, device) => isDue(saved, device, now));
    await this.#writePending(now);
  }

  /** Writes everything that has changed. `now` in milliseconds. Rejects with StoreError. */
  async flush(now: number): Promise<void> {
    this.#note(this.#devices, ({ device: saved }, device) => saved !== device);
    await Promise.all(Array.from({ length: PARALLEL_WRITES }, () => this.#writePending(now)));
  }

  #note(devices: KnownDevices, isChanged: (saved: Saved, device: KnownDevice) => boolean): void {
    this.#devices = devices;
    for (const [id, device] of devices) {
      const saved = this.#saved.get(id);
      if (!saved || isChanged(saved, device)) this.#pending.add(id);
    }
    for (const id of this.#saved.keys()) if (!devices.has(id)) this.#pending.add(id);
  }

  async #writePending(now: number): Promise<void> {
    for (let id = this.#next(); id !== undefined; id = this.#next()) {
      try {
        await this.#write(id, now);
      } catch (error) {
        this.#pending.add(id);
        throw error;
      }
    }
  }

  /** Takes the next id, so that parallel writers never have the same one. */
  #next(): string | undefined {
    const [id] = this.#pending;
    if (id !== undefined) this.#pending.delete(id);
    return id;
  }

  async #write(id: string, now: number): Promise<void> {
    const device = this.#devices.get(id);
    if (device) {
      await this.#group.save(id, device);
      this.#saved.set(id, { device, at: now });
    } else {
      await this.#group.remove(id);
      this.#saved.delete(id);
    }
  }
}

function isDue({ device: saved, at }: Saved, device: KnownDevice, now: number): boolean {
  if (saved === device) return false;
  const hasNewCounters =
    saved.profile === device.profile &&
    saved.retained === device.retained &&
    saved.absence === device.absence;
  // The clock may have been set back.
  return !hasNewCounters || Math.abs(now - at) >= COUNTER_INTERVAL;
}
