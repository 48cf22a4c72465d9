// The service as typed methods, one an endpoint (service interface 4).
import type { Alert } from "../models/alert";
import type { Site, SiteDetails } from "../models/site";
import type { RgmRecord, TelemetryRecord } from "../models/telemetry";
import {
  parseAlerts,
  parseRgmTelemetry,
  parseSiteDetails,
  parseSites,
  parseTelemetry,
} from "../models/answers";
import { systemIdsOf } from "../models/site-reader";
import { address } from "./http/address";
import type { ConnectionSettings } from "./connection";
import { AbortedError, type ErrorText, errorText, HttpError, SystemRequiredError } from "../errors";
import { OpenCalls } from "./http/open-calls";
import { allPages } from "./pagination";
import { Session } from "./auth/session";
import { TokenSource } from "./auth/token-source";
import { Transport } from "./http/transport";

export interface RequestOptions {
  /** Gives the request up; it then rejects with AbortedError. */
  signal?: AbortSignal;
  /** The request needs PC1 behaviour: the version header is sent even when the account did not opt in. */
  pc1?: boolean;
}

/** A window of at most 24 h; both edges are exclusive. Times are ISO 8601 with an offset. */
export interface RecordQuery {
  siteId: string;
  systemId?: string;
  startTime: string;
  endTime: string;
}

export interface TelemetryQuery extends RecordQuery {
  includeInverter?: boolean;
}

/** All methods throw the classes of errors.ts, and give the service's own objects: unknown fields are kept. */
export interface ServiceClient {
  sites(options?: RequestOptions): Promise<Site[]>;
  site(siteId: string, options?: RequestOptions): Promise<SiteDetails>;
  telemetry(query: TelemetryQuery, options?: RequestOptions): Promise<TelemetryRecord[]>;
  rgmTelemetry(query: RecordQuery, options?: RequestOptions): Promise<RgmRecord[]>;
  alerts(options?: RequestOptions): Promise<Alert[]>;
  siteAlerts(siteId: string, options?: RequestOptions): Promise<Alert[]>;
  /** Gives all requests up and closes the connections. Safe to call twice. */
  close(): void;
}

/** Loads and connects nothing before the first request. Clients of the same credentials share their token. */
export function createServiceClient(settings: ConnectionSettings): ServiceClient {
  return new HttpServiceClient(settings);
}

class HttpServiceClient implements ServiceClient {
  private readonly baseUrl: string;
  private readonly calls = new OpenCalls();
  private readonly transport: Transport;
  private readonly session: Session;

  constructor(settings: ConnectionSettings) {
    this.baseUrl = settings.baseUrl;
    this.transport = new Transport(settings);
    this.session = new Session(
      settings,
      this.transport,
      new TokenSource(settings, this.transport, this.calls),
    );
  }

  sites(options: RequestOptions = {}): Promise<Site[]> {
    return this.list(["v1", "sites"], {}, errorText("whatSites"), parseSites, options);
  }

  site(siteId: string, options: RequestOptions = {}): Promise<SiteDetails> {
    return this.calls.run(options.signal, async (signal) => {
      const url = address(this.baseUrl, ["v1", "sites", siteId]);
      const { body } = await this.session.get(
        url,
        errorText("whatSite", { siteId }),
        options.pc1 === true,
        signal,
      );
      return parseSiteDetails(body);
    });
  }

  telemetry(query: TelemetryQuery, options: RequestOptions = {}): Promise<TelemetryRecord[]> {
    return this.records(query, "telemetry", parseTelemetry, options);
  }

  rgmTelemetry(query: RecordQuery, options: RequestOptions = {}): Promise<RgmRecord[]> {
    // Service interface 4.5: this endpoint always requires the version header.
    return this.records(query, "rgm-telemetry", parseRgmTelemetry, { ...options, pc1: true });
  }

  alerts(options: RequestOptions = {}): Promise<Alert[]> {
    return this.list(["v1", "alerts"], {}, errorText("whatAlerts"), parseAlerts, options);
  }

  siteAlerts(siteId: string, options: RequestOptions = {}): Promise<Alert[]> {
    return this.list(
      ["v1", "sites", siteId, "alerts"],
      {},
      errorText("whatSiteAlerts", { siteId }),
      parseAlerts,
      options,
    );
  }

  close(): void {
    this.calls.close();
    this.transport.close();
  }

  private async records<Item>(
    { siteId, systemId, startTime, endTime, includeInverter }: TelemetryQuery,
    endpoint: "telemetry" | "rgm-telemetry",
    parse: (body: unknown) => Item[],
    options: RequestOptions,
  ): Promise<Item[]> {
    const parameters = {
      startTime,
      endTime,
      systemId,
      includeInverter: includeInverter === true ? "true" : undefined,
    };
    try {
      const path = ["v1", "sites", siteId, endpoint];
      return await this.list(
        path,
        parameters,
        errorText(endpoint === "telemetry" ? "whatTelemetry" : "whatRgm", { siteId }),
        parse,
        options,
      );
    } catch (error) {
      const isSystemMissing =
        error instanceof HttpError && error.details.statusCode === 422 && systemId === undefined;
      if (!isSystemMissing) throw error;
      throw new SystemRequiredError(siteId, await this.systemIdsToChoose(siteId, options), error.details);
    }
  }

  private list<Item>(
    path: string[],
    query: Record<string, string | undefined>,
    what: ErrorText,
    parse: (body: unknown) => Item[],
    { signal: outer, pc1 = false }: RequestOptions,
  ): Promise<Item[]> {
    return this.calls.run(outer, (signal) =>
      allPages(
        address(this.baseUrl, path, query),
        this.baseUrl,
        (url) => this.session.get(url, what, pc1, signal),
        parse,
      ),
    );
  }

  /** Service interface 4.4 rule 4: the refusal does not name the systems, so the site's details are asked. */
  private async systemIdsToChoose(siteId: string, options: RequestOptions): Promise<string[]> {
    try {
      return systemIdsOf(await this.site(siteId, options));
    } catch (error) {
      if (error instanceof AbortedError) throw error;
      return [];
    }
  }
}
