// Stores the devices across restarts: each when it has changed in a way that must survive a crash, the others now and then.
import { isDeepStrictEqual } from "node:util";
import { inTurns } from "../../loop-turns";
import { isServiceObject } from "../../models/service-object";
import { mapOf, readerOf, text } from "../../models/shape";
import type { StateGroup } from "../../stored-state";
import { MINUTE } from "../../time-units";
import type { Device, Devices } from "./device";

/**
 * How long counters and states may wait to be saved, in milliseconds. The next message brings them again after a crash; until
 * then, a drop of a counter by less than it has risen since is not noticed.
 */
const STATE_INTERVAL = 15 * MINUTE;

export class StoredDevices {
  readonly #group: StateGroup<Device> | undefined;
  /** What is saved, or about to be; undefined after a failure. */
  readonly #saved = new Map<string, Device | undefined>();

  /** Without a group, the devices last as long as this object. */
  constructor(group: StateGroup<Device> | undefined) {
    this.#group = group;
  }

  /** Rejects with StoreError. */
  async load(): Promise<Devices> {
    const devices = (await this.#group?.load()) ?? [];
    for (const device of devices) this.#saved.set(device.id, device);
    return new Map(devices.map((device) => [device.id, device]));
  }

  /**
   * Writes what must survive a crash now, and removes the devices that are gone. Rejects with StoreError; the next call tries
   * the rest. A device that has changed is a new object.
   */
  async save(devices: Devices): Promise<void> {
    const writes: Promise<void>[] = [];
    await inTurns(devices, ([id, device]) => {
      const saved = this.#saved.get(id);
      if (saved === device) return;
      const canWait = saved !== undefined && hasOnlyNewState(saved, device);
      const written = this.#write(id, device, canWait ? STATE_INTERVAL : 0);
      // A failure is noticed by the next call, at the latest.
      written.catch(() => undefined);
      if (!canWait) writes.push(written);
    });
    for (const id of this.#saved.keys())
      if (!devices.has(id)) writes.push(this.#write(id).then(() => void this.#saved.delete(id)));
    await Promise.allSettled(writes);
    await Promise.all(writes);
  }

  async flush(): Promise<void> {
    await this.#group?.flush();
  }

  async #write(id: string, device?: Device, within?: number): Promise<void> {
    this.#saved.set(id, device);
    try {
      await this.#group?.save(id, device, within);
    } catch (error) {
      if (this.#saved.get(id) === device) this.#saved.set(id, undefined);
      throw error;
    }
  }
}

/** What the next message about a device does not bring again. */
const LASTING = ["profile", "absence", "open"] as const;

function hasOnlyNewState(saved: Device, device: Device): boolean {
  return LASTING.every((name) => isDeepStrictEqual(saved[name], device[name]));
}

export const readDevice = readerOf<Device>({
  id: text,
  profile: { entities: [text], basis: mapOf(text), units: mapOf(text) },
  states: mapOf({ payload: isServiceObject }),
});
