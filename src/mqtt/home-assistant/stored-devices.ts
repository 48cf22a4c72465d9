// Stores the devices across restarts: each when it has changed in a way that must survive a crash, the others now and then.
import { isDeepStrictEqual } from "node:util";
import { inTurns } from "../../loop-turns";
import { isServiceObject } from "../../models/service-object";
import { mapOf, matches, number, optional, readerOf, type Shape, text } from "../../models/shape";
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
    const write = (written: Promise<void>): void => {
      // Awaited below; until then a failure must not count as unhandled.
      written.catch(() => undefined);
      writes.push(written);
    };
    await inTurns(devices, ([id, device]) => {
      const state = this.#states.get(id) ?? new StoredState(this.#group?.store(id));
      this.#states.set(id, state);
      const { current, hasFailed } = state;
      if (current === device && !hasFailed) return;
      if (hasFailed || !current || !hasOnlyNewState(current, device))
        write(current === device ? state.flush() : state.set(device));
      else state.set(device, { every: STATE_INTERVAL }).catch(() => undefined);
    });
    for (const [id, state] of this.#states) if (!devices.has(id)) write(this.#remove(id, state));
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

/** What the next message about a device does not bring again. */
const LASTING = ["profile", "absence", "retained", "open"] as const;
type Lasting = Partial<Record<(typeof LASTING)[number], unknown>>;

function hasOnlyNewState(saved: Lasting, device: Lasting): boolean {
  return LASTING.every((name) => isDeepStrictEqual(saved[name], device[name]));
}

/** Waits for all, then rejects if one of them has failed. */
async function all(writes: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(writes);
  await Promise.all(writes);
}

/** In milliseconds since the epoch. */
const time = (value: unknown): boolean => number(value) && !Number.isNaN(new Date(Number(value)).getTime());

const OPTIONAL_TEXT = optional(text);
const READING = { value: number, end: number };

const DEVICE: Shape = {
  id: text,
  profile: {
    siteId: OPTIONAL_TEXT,
    systemId: OPTIONAL_TEXT,
    siteName: OPTIONAL_TEXT,
    systemName: OPTIONAL_TEXT,
    key: optional((value) => text(value) || number(value)),
    deviceClass: OPTIONAL_TEXT,
    model: OPTIONAL_TEXT,
    inverterType: OPTIONAL_TEXT,
    serialNumber: OPTIONAL_TEXT,
    entities: [text],
    basis: mapOf(text),
    units: mapOf(text),
    validFor: optional(number),
  },
  states: mapOf({
    payload: isServiceObject,
    record: optional(isServiceObject),
    end: optional(time),
    from: optional(time),
    until: optional(time),
    afterwards: optional(isServiceObject),
  }),
  counters: optional(
    mapOf({ ...READING, peak: optional(number), doubt: optional({ ...READING, count: number }) }),
  ),
  open: optional([{ alertKey: text, severity: text, title: OPTIONAL_TEXT }]),
  retained: optional([text]),
  absence: optional({ since: time, lists: number }),
};

/** A stored device; undefined if it is not valid. */
export const readDevice = readerOf((stored): stored is Device => matches(stored, DEVICE));
