// Reads the state of charge of the sites that a dialog lists, from the top down, one at a time, so that the account's nodes hardly wait for it.
import fastq from "fastq";
import { withSignal } from "../../../src/abort";
import { type ListedSite, numberAt } from "../../../src/choices/site-choices";
import type { ServiceClient } from "../../../src/client/service-client";
import { isPlausible } from "../../../src/models/measurements";
import { RecordReader, type RecordSource } from "../../../src/reading/record-reader";
import type { SeriesAddress } from "../../../src/series/identity";
import { shownSite } from "../../../src/series/site-memory";
import { MINUTE } from "../../../src/time-units";
import { recordQuery } from "../../shared/runtime/records/record-ports";

/** How long a charge is shown. */
const CACHE_MS = 5 * MINUTE;
/** Of the requests that dialogs may make in a minute: the others are for what a person requests. */
const PER_MINUTE = 15;
const MAX_WAIT_MS = 1500;
/** For one charge. */
const LIMIT_MS = 14_000;
/** For one question of a dialog, of the thirty that dialogs may make in a minute. */
const MAX_REQUESTS = 12;

/** One per connection. */
export class SiteCharges {
  readonly #client: ServiceClient;
  /** Of each site that was requested lately; the charge is undefined if it could not be read. */
  readonly #known = new Map<string, { charge: number | undefined; readAt: number }>();
  /** The sites of the last search that are still to be read. */
  readonly #queue = fastq.promise((siteId: string) => this.#readOnce(siteId), 1);

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  /** The state of charge in %; undefined if it is not known. */
  of(siteId: string): number | undefined {
    return this.#known.get(siteId)?.charge;
  }

  /**
   * Reads the charges of those of the sites that have one system with storage. Never rejects.
   * @returns after at most 1.5 s, whether some are still being read
   */
  async read(sites: readonly ListedSite[]): Promise<boolean> {
    for (const [siteId, { readAt }] of this.#known)
      if (performance.now() - readAt >= CACHE_MS) this.#known.delete(siteId);
    const siteIds = sites.filter(hasOneStorage).map(({ choice }) => choice.siteId);
    const unknown = (): string[] => siteIds.filter((siteId) => !this.#known.has(siteId));
    // No one looks at the results of the last search any more.
    this.#queue.kill();
    const reading = Promise.all(unknown().map((siteId) => this.#queue.push(siteId)));
    await withSignal([], () => reading, { ms: MAX_WAIT_MS }).catch(() => undefined);
    return unknown().length > 0;
  }

  async #readOnce(siteId: string): Promise<void> {
    const lately = [...this.#known.values()].filter(({ readAt }) => performance.now() - readAt < MINUTE);
    // It was being read when it was wanted again.
    if (this.#known.has(siteId) || lately.length >= PER_MINUTE) return;
    const charge = await this.#read(siteId).catch(() => undefined);
    this.#known.set(siteId, { charge, readAt: performance.now() });
  }

  async #read(siteId: string): Promise<number | undefined> {
    const reader = dialogReader(this.#client, { siteId }, AbortSignal.timeout(LIMIT_MS));
    const { records } = await reader.readLatest();
    const newest = records.at(-1);
    const charge = newest ? numberAt(newest.record, "storage.stateOfCharge") : null;
    return charge !== null && isPlausible("stateOfCharge", charge) ? charge : undefined;
  }
}

/** The charges of several systems are never added up, and a site that nodes cannot read has none to show. */
function hasOneStorage({ choice, site }: ListedSite): boolean {
  const [system, ...others] = shownSite(site).systems;
  if (!system || others.length > 0 || choice.isPc1Needed) return false;
  return system.equipment === undefined || system.equipment.storage === true;
}

/** Reads the telemetry of a system. */
export function dialogReader(
  client: ServiceClient,
  address: SeriesAddress,
  signal: AbortSignal,
  includeInverter = false,
): RecordReader {
  const source: RecordSource = {
    read: (window, aborted) =>
      client.telemetry({ ...recordQuery(address, window), includeInverter }, { signal: aborted }),
  };
  return new RecordReader(source, client.clock, signal, MAX_REQUESTS);
}
