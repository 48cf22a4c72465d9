// Stores the devices across restarts: each when it has changed in a way that must survive a crash, the others now and then.
import { isDeepStrictEqual } from "node:util";
import { inTurns } from "../../loop-turns";
import { isServiceObject } from "../../models/service-object";
import { mapOf, matches, number, oneOf, optional, readerOf, type Shape, text } from "../../models/shape";
import { type StateGroup, StoredState } from "../../stored-state";
import { MINUTE } from "../../time-units";
import type { Device, Devices } from "./device";
import { EQUIPMENT_FIELDS } from "./equipment";
import { TOTALS_FIELDS } from "./totals";

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
const SHARED = { id: text, absence: optional({ since: time, lists: number }) };
const READING = { value: number, end: number };
const numberOrNull = (value: unknown): boolean => value === null || number(value);
const FIELD_VALUE: Shape = (value) => numberOrNull(value) || text(value);

const SHAPES: Readonly<Record<Device["kind"], { readonly [field: string]: Shape }>> = {
  readings: {
    ...SHARED,
    profile: {
      siteId: text,
      systemId: OPTIONAL_TEXT,
      siteName: OPTIONAL_TEXT,
      systemName: OPTIONAL_TEXT,
      model: OPTIONAL_TEXT,
      inverterType: OPTIONAL_TEXT,
      entities: [text],
      basis: isServiceObject,
      validFor: optional(number),
      totals: optional(
        mapOf({ unit: oneOf(["Wh", "kWh"]), currency: OPTIONAL_TEXT, fields: [oneOf(TOTALS_FIELDS)] }),
      ),
    },
    counters: optional(
      mapOf({ ...READING, peak: optional(number), doubt: optional({ ...READING, count: number }) }),
    ),
    last: optional(
      mapOf({ record: isServiceObject, end: time, validUntil: optional(time), suppressed: [text] }),
    ),
    totals: optional(mapOf({ start: time, end: time, values: mapOf(numberOrNull) })),
    retained: optional([text]),
  },
  alerts: {
    ...SHARED,
    profile: { siteId: OPTIONAL_TEXT, siteName: OPTIONAL_TEXT },
    open: [{ alertKey: text, severity: text, title: OPTIONAL_TEXT }],
    asOf: time,
  },
  equipment: {
    ...SHARED,
    profile: {
      siteId: text,
      systemId: OPTIONAL_TEXT,
      deviceClass: OPTIONAL_TEXT,
      key: (value) => text(value) || number(value),
      model: OPTIONAL_TEXT,
      serialNumber: OPTIONAL_TEXT,
      fields: [oneOf(EQUIPMENT_FIELDS)],
    },
    values: Object.fromEntries(EQUIPMENT_FIELDS.map((field) => [field, FIELD_VALUE])),
    asOf: time,
  },
};

/** A stored device; undefined if it is not valid. */
export const readDevice = readerOf((stored): stored is Device =>
  Object.entries(SHAPES).some(([kind, shape]) => matches(stored, { kind: oneOf([kind]), ...shape })),
);
