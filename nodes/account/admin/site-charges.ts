// Reads the state of charge of the sites that a dialog shows, a few at a time, so that the account's nodes hardly wait for it.
import { setNewest } from "../../../src/bounded-map";
import type { SiteChoice } from "../../../src/choices/choices";
import type { ServiceClient } from "../../../src/client/service-client";
import { isFresh, trueAt } from "../../../src/decisions/freshness";
import { latestWindows } from "../../../src/ledger/window";
import { isServiceObject } from "../../../src/models/service-object";
import { type Site, systemsOf } from "../../../src/models/site";
import { MINUTE } from "../../../src/time-units";
import { withSignal } from "../../../src/abort";

/** How many sites of an answer show their charge. */
const MAX_SITES = 10;
const MAX_AGE_MINUTES = 15;
const CACHE_MS = 5 * MINUTE;
/** Requests at a time; the others of the account's limit are for its nodes. */
const PARALLEL = 2;
const MAX_READ_MS = 20_000;
const MAX_WAIT_MS = 1500;
/** More are not kept. */
const MAX_KNOWN = 2000;

interface Known {
  /** Undefined if it could not be read. */
  charge: number | undefined;
  at: number;
}

interface Wanted {
  siteId: string;
  done: Promise<void>;
  /** Also called if it is not read because another search came. */
  end: () => void;
}

/** One per connection. */
export class SiteCharges {
  readonly #client: ServiceClient;
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Wanted>();
  #queue: Wanted[] = [];

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  /**
   * The state of charge in % of the first ten sites that have one system with storage. Never rejects.
   * @returns after at most 1.5 s; `isPending` if some are still being read
   */
  async of(
    found: readonly { choice: SiteChoice; site: Site }[],
  ): Promise<{ charges: Map<string, number>; isPending: boolean }> {
    const siteIds = found
      .slice(0, MAX_SITES)
      .filter(hasOneStorage)
      .map(({ choice }) => choice.siteId);
    this.#want(siteIds.filter((siteId) => !this.#isKnown(siteId)));
    const wanted = [...this.#reading.values(), ...this.#queue].filter(({ siteId }) =>
      siteIds.includes(siteId),
    );
    const all = Promise.all(wanted.map(({ done }) => done));
    await withSignal([], () => all, { ms: MAX_WAIT_MS }).catch(() => undefined);
    const charges = siteIds.flatMap((siteId): [string, number][] => {
      const charge = this.#known.get(siteId)?.charge;
      return charge === undefined ? [] : [[siteId, charge]];
    });
    return { charges: new Map(charges), isPending: siteIds.some((siteId) => !this.#isKnown(siteId)) };
  }

  #isKnown(siteId: string): boolean {
    const known = this.#known.get(siteId);
    return known !== undefined && performance.now() - known.at < CACHE_MS;
  }

  /** Replaces what is waiting: nobody looks at the results of the last search any more. */
  #want(siteIds: readonly string[]): void {
    for (const { end } of this.#queue) end();
    this.#queue = siteIds.filter((siteId) => !this.#reading.has(siteId)).map(wantedSite);
    for (let free = PARALLEL - this.#reading.size; free > 0; free -= 1) void this.#readNext();
  }

  async #readNext(): Promise<void> {
    const next = this.#queue.shift();
    if (!next) return;
    this.#reading.set(next.siteId, next);
    const charge = await this.#read(next.siteId).catch(() => undefined);
    setNewest(this.#known, next.siteId, { charge, at: performance.now() }, MAX_KNOWN);
    this.#reading.delete(next.siteId);
    next.end();
    await this.#readNext();
  }

  async #read(siteId: string): Promise<number | undefined> {
    const { clock } = this.#client;
    const [window] = latestWindows(clock.now(), MAX_AGE_MINUTES);
    if (!window) return undefined;
    const [startTime, endTime] = [window.start, window.end].map((time) => new Date(time).toISOString());
    if (startTime === undefined || endTime === undefined) return undefined;
    const query = { siteId, startTime, endTime };
    const { records } = await withSignal(
      [],
      (signal) => this.#client.telemetry(query, { once: true, signal }),
      { ms: MAX_READ_MS },
    );
    const newest = records.at(-1);
    const now = clock.now();
    if (!newest || !isFresh(trueAt(newest, now), now, MAX_AGE_MINUTES)) return undefined;
    const { storage } = newest.record;
    const charge: unknown = isServiceObject(storage) ? storage["stateOfCharge"] : undefined;
    return typeof charge === "number" && charge >= 0 && charge <= 100 ? charge : undefined;
  }
}

/** The charges of several systems are never added up, and a site that nodes cannot read has none to show. */
function hasOneStorage({ choice, site }: { choice: SiteChoice; site: Site }): boolean {
  const [system, ...others] = systemsOf(site);
  if (!system || others.length > 0 || choice.isPc1Needed) return false;
  const { capabilities } = system;
  return !(isServiceObject(capabilities) && capabilities["storage"] === null);
}

function wantedSite(siteId: string): Wanted {
  let end = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { siteId, done, end };
}
