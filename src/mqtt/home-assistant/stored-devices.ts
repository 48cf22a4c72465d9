// Stores the devices across restarts: each when it has changed in a way that must survive a crash, the others now and then.
import type { StateGroup } from "../../stored-state";
import { MINUTE } from "../../time-units";
import type { Device, Devices } from "./device";

/**
 * How long counters and states may remain unsaved, in milliseconds. The next message brings them again after a crash; until
 * then, a drop of a counter by less than it has risen since is not noticed.
 */
const STATE_INTERVAL = 15 * MINUTE;

/** How many files a flush writes at a time, so that closing a node with many devices does not take long. */
const PARALLEL_WRITES = 8;

interface Saved {
  device: Device;
  /** In milliseconds. */
  at: number;
}

export class StoredDevices {
  readonly #group: StateGroup<Device>;
  readonly #saved = new Map<string, Saved>();
  /** The ids to write or remove. One that fails goes to the end, so that it does not hold up the others. */
  readonly #pending = new Set<string>();
  #devices: Devices = new Map();

  constructor(group: StateGroup<Device>) {
    this.#group = group;
  }

  /** In the order of their ids: a site before its systems. `now` in milliseconds. Rejects with StoreError. */
  async load(now: number): Promise<Devices> {
    const devices = await this.#group.load();
    devices.sort((one, other) => (one.id < other.id ? -1 : 1));
    for (const device of devices) this.#saved.set(device.id, { device, at: now });
    this.#devices = new Map(devices.map((device) => [device.id, device]));
    return this.#devices;
  }

  /**
   * Writes what must survive a crash now, and removes the devices that are gone. `now` in milliseconds. Rejects with
   * StoreError; the next call tries the rest. A device that has changed is a new object.
   */
  async save(devices: Devices, now: number): Promise<void> {
    // The clock may have been set back.
    this.#note(
      devices,
      (saved, device) => !hasOnlyNewState(saved.device, device) || Math.abs(now - saved.at) >= STATE_INTERVAL,
    );
    await this.#writePending(now);
  }

  /** Writes everything that has changed. `now` in milliseconds. Rejects with StoreError. */
  async flush(now: number): Promise<void> {
    this.#note(this.#devices, () => true);
    await Promise.all(Array.from({ length: PARALLEL_WRITES }, () => this.#writePending(now)));
  }

  #note(devices: Devices, isDue: (saved: Saved, device: Device) => boolean): void {
    this.#devices = devices;
    for (const [id, device] of devices) {
      const saved = this.#saved.get(id);
      if (!saved || (saved.device !== device && isDue(saved, device))) this.#pending.add(id);
    }
    for (const id of this.#saved.keys()) if (!devices.has(id)) this.#pending.add(id);
  }

  /** Takes one id at a time, so that parallel writers never have the same one. */
  async #writePending(now: number): Promise<void> {
    for (const id of this.#pending) {
      this.#pending.delete(id);
      try {
        await this.#write(id, now);
      } catch (error) {
        this.#pending.add(id);
        throw error;
      }
    }
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

/** Whether two versions of a device differ in nothing but what its next message brings again. */
function hasOnlyNewState(saved: Device, device: Device): boolean {
  const names = ["profile", "absence", "retained", "open"] as const;
  const lasting = (one: Partial<Record<(typeof names)[number], unknown>>): unknown[] =>
    names.map((name) => one[name]);
  const before = lasting(saved);
  return lasting(device).every((value, index) => value === before[index]);
}
