// A service client that makes all requests on behalf of one caller, and leaves everything else to the client that it stands for.
import type { CorrectedClock } from "../clock";
import type { Alert } from "../models/alert";
import type { Site, SiteDetails } from "../models/site";
import type { RgmRecord, TelemetryRecord } from "../models/telemetry";
import type { RecordAnswer } from "../models/responses";
import type { ClientDiagnostics } from "./diagnostics";
import type { Caller } from "./http/fair-queue";
import type {
  RecordQuery,
  RequestOptions,
  ServiceClient,
  SiteOptions,
  TelemetryQuery,
} from "./service-client";

export class CallerClient implements ServiceClient {
  readonly #client: ServiceClient;
  readonly #caller: Caller;

  constructor(client: ServiceClient, caller: Caller) {
    this.#client = client;
    this.#caller = caller;
  }

  get clock(): CorrectedClock {
    return this.#client.clock;
  }

  for(caller: Caller): ServiceClient {
    return this.#client.for(caller);
  }

  sites(options?: SiteOptions): Promise<Site[]> {
    return this.#client.sites({ caller: this.#caller, ...options });
  }

  site(siteId: string, options?: SiteOptions): Promise<SiteDetails> {
    return this.#client.site(siteId, { caller: this.#caller, ...options });
  }

  telemetry(query: TelemetryQuery, options?: RequestOptions): Promise<RecordAnswer<TelemetryRecord>> {
    return this.#client.telemetry(query, { caller: this.#caller, ...options });
  }

  rgmTelemetry(query: RecordQuery, options?: RequestOptions): Promise<RecordAnswer<RgmRecord>> {
    return this.#client.rgmTelemetry(query, { caller: this.#caller, ...options });
  }

  alerts(options?: RequestOptions): Promise<Alert[]> {
    return this.#client.alerts({ caller: this.#caller, ...options });
  }

  siteAlerts(siteId: string, options?: RequestOptions): Promise<Alert[]> {
    return this.#client.siteAlerts(siteId, { caller: this.#caller, ...options });
  }

  diagnostics(): ClientDiagnostics {
    return this.#client.diagnostics();
  }

  close(): void {
    this.#client.close();
  }
}
