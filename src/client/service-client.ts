// The service as typed methods, one an endpoint (service interface 4).
import type { Alert } from "../models/alert";
import type { Site, SiteDetails } from "../models/site";
import type { RgmRecord, TelemetryRecord } from "../models/telemetry";

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
