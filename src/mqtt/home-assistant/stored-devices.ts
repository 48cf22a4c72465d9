// Stores the devices across restarts: each when it has changed in a way that must survive a crash, the others now and then.
import { type StateGroup, StoredState } from "../../stored-state";
import { MINUTE } from "../../time-units";
import type { Device, Devices } from "./device";

/**
 * How often counters and states are saved, in milliseconds. The next message brings them again after a crash; until then, a drop
 * of a counter by less than it has risen since is not noticed.
 */
const STATE_INTERVAL = 15 * MINUTE;

export class StoredDevices {
  readonly #group: StateGroup<Device> | undefined;
  readonly #states = new Map<string, StoredState<Device>>();

  /** Without a group, the devices last as long as this object. */
  constructor(group: StateGroup<Device> | undefined) {
    this.#group = group;
  }

  /** In the order of their ids: a site before its systems. Rejects with StoreError. */
  async load(): Promise<Devices> {
    const devices = (await this.#group?.load()) ?? [];
    devices.sort((one, other) => (one.id < other.id ? -1 : 1));
    for (const device of devices)
      this.#states.set(device.id, new StoredState(this.#group?.store(device.id), device));
    return new Map(devices.map((device) => [device.id, device]));
  }

  /**
   * Writes what must survive a crash now, and removes the devices that are gone. Rejects with StoreError; the next call tries
   * the rest. A device that has changed is a new object.
   */
  async save(devices: Devices): Promise<void> {
    const writes: Promise<void>[] = [];
    for (const [id, device] of devices) {
      const state = this.#states.get(id) ?? new StoredState(this.#group?.store(id));
      this.#states.set(id, state);
      const { current, hasFailed } = state;
      if (current === device && !hasFailed) continue;
      if (hasFailed || !current || !hasOnlyNewState(current, device))
        writes.push(current === device ? state.flush() : state.set(device));
      else state.set(device, { every: STATE_INTERVAL }).catch(() => undefined);
    }
    for (const [id, state] of this.#states) if (!devices.has(id)) writes.push(this.#remove(id, state));
    await all(writes);
  }

  /** Writes everything that has changed. Rejects with StoreError. */
  async flush(): Promise<void> {
    await all([...this.#states.values()].map((state) => state.flush()));
  }

  async #remove(id: string, state: StoredState<Device>): Promise<void> {
    await (state.current ? state.set(undefined) : state.flush());
    if (!state.current) this.#states.delete(id);
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

/** Waits for all, then rejects if one of them has failed. */
async function all(writes: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(writes);
  await Promise.all(writes);
}
