// The service client, with a typed method for each endpoint (service interface 4).
import { RuntimeClock, type TimeSource } from "../clock";
import {
  AbortedError,
  ConfigError,
  type ErrorText,
  errorText,
  HttpError,
  ResponseError,
  SystemRequiredError,
} from "../errors";
import { MAX_ALERT_VALUES } from "../limits";
import type { Alert } from "../models/alert";
import {
  type Items,
  parseAlerts,
  parseRecords,
  parseSiteDetails,
  parseSites,
  type RecordAnswer,
  refuseUnreadable,
  type UnreadableItem,
  unreadableSystemsOf,
} from "../models/responses";
import { type Site, systemIdOf, systemIdsOf, systemsOf } from "../models/site";
import {
  type IntervalRecord,
  type RgmRecord,
  type SourceName,
  type TelemetryRecord,
  type TimedRecord,
  uniqueInOrder,
} from "../models/telemetry";
import { defined } from "../objects";
import { baseUrlFault, withoutTrailingSlash } from "../settings/rules";
import { type RequestOptions, Session, type Target } from "./auth/session";
import type { ConnectionSettings } from "./connection";
import { ANYONE, type Caller } from "./http/fair-queue";
import { endpointUrl } from "./http/request";
import { allPages } from "./pages";
import type { Page } from "./http/response";

export interface ListOptions extends RequestOptions {
  /** Called with what of the response cannot be read, such as sites without a valid id: often nothing. */
  onUnreadable?: (items: readonly UnreadableItem[]) => void;
}

/** A site, one of its systems, and a time window. */
export interface RecordQuery {
  siteId: string;
  /** Required for a site with several systems. */
  systemId?: string;
  /** ISO 8601 with an offset; exclusive: a record that ends at this time is not returned. */
  startTime: string;
  /** ISO 8601 with an offset, at most 24 h after startTime; exclusive: a record that starts at this time is not returned. */
  endTime: string;
}

export interface TelemetryQuery extends RecordQuery {
  /** Adds the `inverter` group to each record. */
  includeInverter?: boolean;
}

/** What a service client reports about itself: plain data without secrets. */
export type ClientDiagnostics = ReturnType<ServiceClient["diagnostics"]>;

/**
 * Loads and connects nothing before the first request. Clients with the same credentials share their token.
 * @param time learns from the responses what time it is; by default, for a clock that only this client follows
 * @throws ConfigError at once for a base URL that is neither https nor http to a loopback host
 */
export function createServiceClient(
  settings: ConnectionSettings,
  time: TimeSource = new RuntimeClock().open(),
): ServiceClient {
  // Credentials never cross a network in plain text.
  const fault = baseUrlFault(settings.baseUrl);
  if (fault) throw new ConfigError(fault);
  const baseUrl = withoutTrailingSlash(settings.baseUrl);
  return new ServiceClient(new Session({ ...settings, baseUrl }, time));
}

/**
 * Every method resolves to the service's own objects, unknown fields included, and reads all pages of a list. Records have
 * their times in milliseconds added. Each method may reject with
 * - AuthError: the service rejected the credentials or a new token
 * - HttpError, RateLimitError: the service responded with an error status
 * - TimeoutError, NetworkError: no response, or an incomplete one
 * - ResponseError: the response is malformed
 * - ConfigError: the proxy URL is invalid
 * - AbortedError: the signal aborted, or the client was closed
 *
 * Network errors and the statuses 429, 500, 502, 503 and 504 are first retried three times within 20 s, or when Retry-After
 * says; a timeout is retried once.
 */
export class ServiceClient {
  readonly #session: Session;
  readonly #caller: Caller;

  constructor(session: Session, caller = ANYONE) {
    this.#session = session;
    this.#caller = caller;
  }

  /** The clock that learns from the service's Date headers. */
  get clock(): RuntimeClock {
    return this.#session.time.clock;
  }

  /** Why the last site list that was read is empty; undefined if it was not. */
  get noSites(): ErrorText | undefined {
    return this.#session.noSites;
  }

  /** The same client, for requests on behalf of one caller. */
  for(caller: Caller): ServiceClient {
    return new ServiceClient(this.#session, caller);
  }

  /** A client for the dialogs, of which the nodes notice little: neither its requests nor its pauses hold theirs up. */
  forDialogs(): ServiceClient {
    return new ServiceClient(this.#session.guest(), { id: "dialog", priority: "dialog" });
  }

  /** The sites that the credentials can see; without the preview version, no sites with PC1 systems. */
  async sites(options: ListOptions = {}): Promise<Site[]> {
    const { readable, count } = await this.#items(errorText("whatSites"), ["sites"], parseSites, options);
    const reason = this.#session.isPc1Off && !options.pc1 ? "noSitesPc1" : "noSites";
    this.#session.noSites = count === 0 ? errorText(reason) : undefined;
    return readable;
  }

  /**
   * One site with its systems, their capabilities and their devices.
   * @throws InputError for an id that cannot be part of a URL, as do all methods with a site id
   */
  async site(siteId: string, { onUnreadable, ...options }: ListOptions = {}): Promise<Site> {
    const target = this.#target(errorText("whatSite", { siteId }), ["sites", siteId]);
    const { body } = await this.#session.get(target, this.#caller, options);
    const site = parseSiteDetails(body);
    const shown: unknown = site.siteId;
    if (typeof shown === "string" && shown.toLowerCase() !== siteId.toLowerCase())
      throw new ResponseError(errorText("answerOtherSite", { what: errorText("siteAnswer") }));
    onUnreadable?.(unreadableSystemsOf(site));
    return site;
  }

  /**
   * The telemetry records that overlap the window, in time order: energy in Wh, power in W, state of charge in %. A record
   * without a valid interval is set apart.
   * The first and last record may extend beyond the window.
   * @throws SystemRequiredError if the site has several systems and the query names none; it lists them
   */
  telemetry(query: TelemetryQuery, options: RequestOptions = {}): Promise<RecordAnswer<TelemetryRecord>> {
    const what = errorText("whatTelemetry", { siteId: query.siteId });
    return this.#records(query, "telemetry", what, options);
  }

  /**
   * The records of the revenue-grade meter that overlap the window, in time order: energy in Wh, power in W. Empty for a
   * system without such a meter. Always sends a version header.
   * @throws SystemRequiredError if the site has several systems and the query names none; it lists them
   */
  rgmTelemetry(query: RecordQuery, options: RequestOptions = {}): Promise<RecordAnswer<RgmRecord>> {
    const what = errorText("whatRgm", { siteId: query.siteId });
    // Service interface 4.5: this endpoint always requires the version header.
    return this.#records(query, "rgm", what, { ...options, pc1: true });
  }

  /** The alerts of all sites that the credentials can see. */
  alerts(options: ListOptions = {}): Promise<Alert[]> {
    return this.#alerts(errorText("whatAlerts"), ["alerts"], options);
  }

  /** The alerts of one site. */
  siteAlerts(siteId: string, options: ListOptions = {}): Promise<Alert[]> {
    return this.#alerts(errorText("whatSiteAlerts", { siteId }), ["sites", siteId, "alerts"], options);
  }

  /** How the last requests went, and what the client is doing. */
  diagnostics() {
    const { time, tokens, transport, failure, noSites } = this.#session;
    return defined({
      /** The last attempts, oldest first. */
      requests: [...transport.log.entries],
      /** When the last successful request started, in milliseconds by the local clock. */
      lastSuccess: transport.log.lastSuccess,
      token: tokens.state,
      limiter: transport.admission.state,
      /** Service time minus local time in milliseconds, if they differ by more than a minute. */
      clockCorrection: time.clock.correction,
      /** Why the last request failed, with ids and what the service says; undefined after one that succeeded. */
      failure,
      /** Why the last site list that was read is empty. */
      noSites,
      /** Whether a response has confirmed the time. */
      isClockSure: time.clock.isSure,
    });
  }

  /** Aborts all requests and closes all connections. Later calls reject with AbortedError. Safe to call twice. */
  close(): void {
    this.#session.close();
  }

  async #alerts(what: ErrorText, path: string[], options: ListOptions): Promise<Alert[]> {
    return (await this.#items(what, path, parseAlerts, options, MAX_ALERT_VALUES)).readable;
  }

  async #items<Item>(
    what: ErrorText,
    path: string[],
    parse: (body: unknown) => Items<Item>,
    { onUnreadable, ...options }: ListOptions,
    maxValues?: number,
  ): Promise<Items<Item>> {
    const items = refuseUnreadable(await this.#list(this.#target(what, path), parse, options, maxValues));
    onUnreadable?.(items.unreadable);
    return items;
  }

  async #records<R extends IntervalRecord>(
    { siteId, systemId, startTime, endTime, includeInverter }: TelemetryQuery,
    source: SourceName,
    what: ErrorText,
    options: RequestOptions,
  ): Promise<RecordAnswer<R>> {
    const inverter = includeInverter === true ? "true" : undefined;
    const query = { startTime, endTime, systemId, includeInverter: inverter };
    const endpoint = source === "rgm" ? "rgm-telemetry" : "telemetry";
    const parse = (body: unknown): Items<TimedRecord<R>> => parseRecords(body, source);
    try {
      const of = systemId === undefined ? what : errorText("whatSystem", { request: what, systemId });
      const target = this.#target(of, ["sites", siteId, endpoint], query);
      const { readable, unreadable } = await this.#list(target, parse, options);
      const records = uniqueInOrder(readable);
      this.#session.time.observeRecords(records);
      return { records, unreadable };
    } catch (error) {
      const mayNeedSystem =
        error instanceof HttpError && error.details.statusCode === 422 && systemId === undefined;
      if (!mayNeedSystem) throw error;
      // The site's details say whether a system must be chosen (service interface 4.4 rule 4).
      const site = await this.site(siteId, options).catch((failure: unknown) => {
        if (failure instanceof AbortedError) throw failure;
      });
      if (!site || new Set(systemsOf(site).map((one) => systemIdOf(one) ?? one)).size < 2) throw error;
      throw new SystemRequiredError(siteId, systemIdsOf(site), error.details);
    }
  }

  /** @param path whose second part is a site id */
  #target(what: ErrorText, path: string[], query: Record<string, string | undefined> = {}): Target {
    const ids = [path[1], query["systemId"]].filter((id) => id !== undefined);
    return { what, ids, url: endpointUrl(this.#session.baseUrl, ["v1", ...path], query) };
  }

  #list<Item>(
    target: Target,
    parse: (body: unknown) => Items<Item>,
    options: RequestOptions,
    maxValues?: number,
  ): Promise<Items<Item>> {
    const { what, ids } = target;
    const read = (url: string): Promise<Page> => this.#session.get({ what, ids, url }, this.#caller, options);
    return allPages(target, this.#session.baseUrl, read, parse, maxValues);
  }
}
