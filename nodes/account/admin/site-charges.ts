// Reads the state of charge of the sites that a dialog shows, a few at a time, so that the account's nodes hardly wait for it.
import { withSignal } from "../../../src/abort";
import { setNewest } from "../../../src/bounded-map";
import type { SiteChoice } from "../../../src/choices/choices";
import { numberAt } from "../../../src/choices/record-values";
import { Gate } from "../../../src/client/http/gate";
import type { ServiceClient } from "../../../src/client/service-client";
import { isPlausible } from "../../../src/models/measurements";
import { isServiceObject } from "../../../src/models/service-object";
import { type Site, systemsOf } from "../../../src/models/site";
import { RecordReader, type RecordSource } from "../../../src/reading/record-reader";
import type { SeriesAddress } from "../../../src/series/identity";
import { MINUTE } from "../../../src/time-units";
import { begun, recordQuery } from "../../shared/runtime/records/record-ports";

/** How many sites are read for an answer: as many as the list in the dialog shows at a time. */
const MAX_SITES = 10;
const CACHE_MS = 5 * MINUTE;
/** Of the requests that dialogs may make in a minute: the others are for what a person has asked for. */
const PER_MINUTE = 15;
const MAX_WAIT_MS = 1500;
/** For one charge. */
const LIMIT_MS = 14_000;
/** For one question of a dialog, of the thirty that dialogs may make in a minute. */
const MAX_REQUESTS = 12;
/** More are not kept. */
const MAX_KNOWN = 2000;

interface Known {
  /** Undefined if it could not be read. */
  charge: number | undefined;
  readAt: number;
}

/** One per connection. */
export class SiteCharges {
  readonly #client: ServiceClient;
  readonly #known = new Map<string, Known>();
  /** The sites of the last search that are still to be read. */
  #wanted: string[] = [];
  /** One at a time, for the same reason. */
  #reader: Promise<void> | undefined;
  readonly #gate = new Gate(PER_MINUTE);

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  /**
   * The state of charge in % of sites that have one system with storage, as far as it is known; ten are read. Never rejects.
   * @param from the first of the ten
   * @returns after at most 1.5 s; `isPending` if some are still being read
   */
  async of(
    found: readonly { choice: SiteChoice; site: Site }[],
    from = 0,
  ): Promise<{ charges: Map<string, number>; isPending: boolean }> {
    const shown = found.slice(from, from + MAX_SITES).filter(hasOneStorage);
    const siteIds = shown.map(({ choice }) => choice.siteId);
    const unknown = (): string[] => siteIds.filter((siteId) => !this.#isKnown(siteId));
    // Replaces what is waiting: no one looks at the results of the last search any more.
    this.#wanted = unknown();
    this.#reader ??= this.#readWanted().finally(() => (this.#reader = undefined));
    const reader = this.#reader;
    if (unknown().length > 0) await withSignal([], () => reader, { ms: MAX_WAIT_MS }).catch(() => undefined);
    const charges = found.flatMap(({ choice: { siteId } }): [string, number][] => {
      const charge = this.#known.get(siteId)?.charge;
      return charge === undefined ? [] : [[siteId, charge]];
    });
    return { charges: new Map(charges), isPending: unknown().length > 0 };
  }

  #isKnown(siteId: string): boolean {
    const known = this.#known.get(siteId);
    return known !== undefined && performance.now() - known.readAt < CACHE_MS;
  }

  async #readWanted(): Promise<void> {
    for (let siteId = this.#wanted.shift(); siteId !== undefined; siteId = this.#wanted.shift()) {
      // It was being read when it was wanted again.
      if (this.#isKnown(siteId)) continue;
      if (this.#gate.waitMs() > 0) return;
      this.#gate.start({ number: 0, startedAt: performance.now(), site: siteId }, true);
      const charge = await this.#read(siteId).catch(() => undefined);
      setNewest(this.#known, siteId, { charge, readAt: performance.now() }, MAX_KNOWN);
    }
  }

  async #read(siteId: string): Promise<number | undefined> {
    const { records } = await dialogReader(
      this.#client,
      { siteId },
      AbortSignal.timeout(LIMIT_MS),
    ).readLatest();
    const newest = records.at(-1);
    const charge = newest ? numberAt(newest.record, "storage.stateOfCharge") : null;
    return charge !== null && isPlausible("stateOfCharge", charge) ? charge : undefined;
  }
}

/** The charges of several systems are never added up, and a site that nodes cannot read has none to show. */
function hasOneStorage({ choice, site }: { choice: SiteChoice; site: Site }): boolean {
  const [system, ...others] = systemsOf(site);
  if (!system || others.length > 0 || choice.isPc1Needed) return false;
  const { capabilities } = system;
  return !(isServiceObject(capabilities) && capabilities["storage"] === null);
}

/** Reads the telemetry of a system, with one attempt for each request: a person is waiting. */
export function dialogReader(
  client: ServiceClient,
  address: SeriesAddress,
  signal: AbortSignal,
  includeInverter = false,
): RecordReader {
  const { clock } = client;
  const source: RecordSource = {
    async read(window, aborted) {
      const query = { ...recordQuery(address, window), includeInverter };
      return begun(await client.telemetry(query, { once: true, signal: aborted }), clock.now());
    },
  };
  return new RecordReader(source, clock, signal, MAX_REQUESTS);
}
