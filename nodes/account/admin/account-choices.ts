// What the dialogs of an account's nodes offer to choose from: its sites, their systems, and the values of the newest record.
import type {
  DayAnswer,
  SitesAnswer,
  SystemChoice,
  TestAnswer,
  ValueNow,
} from "../../../src/choices/choices";
import { numberAt, SiteChoices, systemChoices, valuesOf } from "../../../src/choices/site-choices";
import type { ServiceClient } from "../../../src/client/service-client";
import { InputError } from "../../../src/errors";
import { isOfInverter } from "../../../src/models/measurements";
import { type Site, siteIdOf, systemIdsOf } from "../../../src/models/site";
import { defined } from "../../../src/objects";
import { merged, recordsOf, type WindowRecords } from "../../../src/reading/window-records";
import { SingleFlight } from "../../../src/single-flight";
import { calendarOf, type SiteCalendar } from "../../../src/site-calendar";
import { HOUR, MINUTE, splitWindow } from "../../../src/time-units";
import { dialogReader, SiteCharges } from "./site-charges";

/** Several dialogs make one request, and a new site shows soon. */
const LIST_AGE = MINUTE;
/** Names hardly ever change. */
const NAMES_AGE = HOUR;

/** How many sites the test of an account names. */
const MAX_NAMES = 3;

interface SiteList extends Pick<TestAnswer, "needPc1"> {
  sites: SiteChoices;
  readAt: number;
}

/** One per connection. Keeps no timers. Every method throws like ServiceClient. */
export class AccountChoices {
  readonly #client: ServiceClient;
  /** Whether the account opted in to PC1. */
  readonly #pc1: boolean;
  readonly #charges: SiteCharges;
  #known: SiteList | undefined;
  readonly #requests = new SingleFlight<SiteList>();

  constructor(client: ServiceClient, pc1: boolean) {
    this.#client = client;
    this.#pc1 = pc1;
    this.#charges = new SiteCharges(client);
  }

  /** The sites that match, with their charge as far as it is known within 1.5 s. */
  async sites(search: string): Promise<SitesAnswer> {
    const sites = await this.#sites(LIST_AGE);
    const { found, total } = sites.search(search);
    const isPending = await this.#charges.read(found);
    const choices = found.map(({ choice }) =>
      defined({ ...choice, charge: this.#charges.of(choice.siteId) }),
    );
    return { sites: choices, total, all: sites.count, ...(isPending ? { pending: true } : {}) };
  }

  /** Those of the sites that the account has, without their charge. */
  async names(siteIds: readonly string[]): Promise<SitesAnswer> {
    const sites = await this.#sites(NAMES_AGE);
    const choices = sites.withIds(siteIds);
    return { sites: choices, total: choices.length, all: sites.count };
  }

  /** The systems of a site, whether or not the account opted in to PC1: rgm read can read those of PC1 in any case. */
  async systems(siteId: string, signal: AbortSignal): Promise<SystemChoice[]> {
    await this.#requireListed(siteId);
    return systemChoices(await this.#client.site(siteId, { pc1: true, signal }));
  }

  /** The values of the newest record of the last 24 h; none if there is no record. */
  async values(siteId: string, systemId: string, signal: AbortSignal): Promise<ValueNow[]> {
    await this.#requireListed(siteId, systemId);
    // Only PC1 has values of the inverter (service interface 2.5).
    const reader = dialogReader(this.#client, { siteId, systemId }, signal, this.#pc1);
    const newest = recordsOf(await reader.readNewest((latest) => latest.records.length > 0)).at(-1);
    return newest ? valuesOf(newest.record) : [];
  }

  /** A value over the local day before, of the site or, where that is not known, of Node-RED. */
  async day(siteId: string, systemId: string, path: string, signal: AbortSignal): Promise<DayAnswer> {
    const { timezone } = await this.#requireListed(siteId, systemId);
    const calendar = calendarOfSite(timezone);
    const day = calendar.period("yesterday", this.#client.clock.now());
    const reader = dialogReader(this.#client, { siteId, systemId }, signal, isOfInverter(path));
    const parts: WindowRecords[] = [];
    for (const window of splitWindow(day)) parts.push(await reader.read(window));
    const records = recordsOf(merged(parts));
    const values = records.map(({ record, end }) => [end, numberAt(record, path)] as const);
    return { zone: calendar.zone, ...day, values };
  }

  /** Tries the account, and counts the sites that it and its nodes can see. */
  async test(signal: AbortSignal): Promise<TestAnswer> {
    const { sites, needPc1 } = await this.#read({ signal });
    const { correction } = this.#client.clock;
    const first = sites.search("").found.slice(0, MAX_NAMES);
    const names = first.map(({ choice }) => choice.name ?? choice.siteId);
    return defined({ sites: sites.count, names, needPc1, clock: correction });
  }

  /** An id that is not in the list is never requested. Throws InputError; what reading the list throws. */
  async #requireListed(siteId: string, systemId?: string): Promise<Site> {
    const known = this.#known?.sites.site(siteId) ?? (await this.#sites(LIST_AGE)).site(siteId);
    if (!known) throw new InputError("idNotListed", { id: siteId });
    const systemIds = systemIdsOf(known);
    const isListed = systemId === undefined || systemIds.length === 0 || systemIds.includes(systemId);
    if (!isListed) throw new InputError("idNotListed", { id: systemId });
    return known;
  }

  async #sites(maxAge: number): Promise<SiteChoices> {
    if (this.#known && performance.now() - this.#known.readAt < maxAge) return this.#known.sites;
    // Not aborted with the dialog that came first: others may wait for it, too.
    return (await this.#requests.run("sites", () => this.#read())).sites;
  }

  /** Without PC1, a second list shows which sites need it. */
  async #read(options: { signal?: AbortSignal } = {}): Promise<SiteList> {
    // A service without the preview version may refuse it, and then has no such sites.
    const preview = this.#pc1 ? [] : this.#client.sites({ ...options, pc1: true }).catch(() => []);
    const visible = await this.#client.sites(options);
    const visibleIds = new Set(visible.map(siteIdOf));
    const hidden = (await preview).filter((site) => !visibleIds.has(siteIdOf(site)));
    const sites = new SiteChoices([...visible, ...hidden], (siteId) => !visibleIds.has(siteId));
    const needPc1 = new Set(hidden.map(siteIdOf)).size;
    this.#known = { sites, needPc1, readAt: performance.now() };
    return this.#known;
  }
}

/** That of Node-RED where the zone of the site is missing or unknown. */
function calendarOfSite(zone: unknown): SiteCalendar {
  try {
    return calendarOf(zone);
  } catch {
    return calendarOf(Intl.DateTimeFormat().resolvedOptions().timeZone);
  }
}
