// Stores what Home Assistant shows across restarts: the devices with their readings, alerts, and the devices of site info.
import type { StateGroup } from "../../stored-state";
import { MINUTE } from "../../time-units";
import { differsOnlyInState, type Facet, facetId } from "./facet";
import type { KnownDevice } from "./known-devices";
import type { KnownHome } from "./message-publisher";
import { storedDevices } from "./stored-devices";
import { StoredGroup } from "./stored-group";

/** How long a state that the next message brings again may remain unsaved, in milliseconds. */
const STATE_INTERVAL = 15 * MINUTE;

export class StoredHome {
  readonly #devices: StoredGroup<KnownDevice>;
  readonly #facets: StoredGroup<Facet>;

  /** `prefix` is the topic prefix, which all ids begin with. */
  constructor(prefix: string, devices: StateGroup<KnownDevice>, facets: StateGroup<Facet>) {
    this.#devices = storedDevices(prefix, devices);
    this.#facets = new StoredGroup(facets, {
      idOf: (facet) => facetId(prefix, facet),
      isDue: (saved, facet, age) => !differsOnlyInState(saved, facet) || age >= STATE_INTERVAL,
    });
  }

  /** `now` in milliseconds. Rejects with StoreError. */
  async load(now: number): Promise<KnownHome> {
    const [devices, facets] = await Promise.all([this.#devices.load(now), this.#facets.load(now)]);
    return { devices, facets };
  }

  /** Writes what must survive a crash now. `now` in milliseconds. Rejects with StoreError. */
  async save({ devices, facets }: KnownHome, now: number): Promise<void> {
    await both(this.#devices.save(devices, now), this.#facets.save(facets, now));
  }

  /** Writes everything that has changed. `now` in milliseconds. Rejects with StoreError. */
  async flush(now: number): Promise<void> {
    await both(this.#devices.flush(now), this.#facets.flush(now));
  }
}

/** Waits for both, then rejects if one of them has failed. */
async function both(...writes: Promise<void>[]): Promise<void> {
  await Promise.allSettled(writes);
  await Promise.all(writes);
}
