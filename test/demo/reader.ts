// Reads a running service over HTTP as any client would: signed in, with plain fetch.
import { answerTo } from "../../src/demo/endpoints";
import { PREVIEW_VERSION } from "../../src/settings/rules";
import { DEMO_CREDENTIALS } from "../support/demo-service";
import type { Alert } from "../../src/models/alert";
import type { Site } from "../../src/models/site";
import type {
  GridGroup,
  InverterGroup,
  IntervalRecord,
  MeterGroup,
  StorageGroup,
} from "../../src/models/telemetry";

/** Readings of the demo service, where a group that is present has all its values. */
type Numbers<Group> = {
  [Field in keyof Group as string extends Field ? never : Field]-?: number;
};

export interface DemoRecord extends IntervalRecord {
  grid: Omit<Numbers<GridGroup>, "connectivityStatus"> & { connectivityStatus: string | null };
  solar: Numbers<MeterGroup> | null;
  consumption: Numbers<MeterGroup>;
  storage: Numbers<StorageGroup> | null;
  inverter: Numbers<InverterGroup>;
}

export interface DemoRgmRecord extends IntervalRecord {
  rgm: Numbers<InverterGroup>;
}

interface Answer<Body> {
  status: number;
  body: Body;
}

export const PC1 = { "VendorApi-Version": PREVIEW_VERSION };

export function basic(clientId: string, clientSecret: string): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
}

export async function send<Body>(url: string, init?: RequestInit): Promise<Answer<Body>> {
  const response = await fetch(url, init);
  const body: Body = JSON.parse(await response.text());
  return { status: response.status, body };
}

export async function signIn(
  baseUrl: string,
  {
    clientId = DEMO_CREDENTIALS.clientId,
    clientSecret = DEMO_CREDENTIALS.clientSecret,
  }: { clientId?: string; clientSecret?: string } = {},
) {
  const { body } = await send<{ access_token: string }>(`${baseUrl}/v1/auth`, {
    method: "POST",
    headers: { authorization: basic(clientId, clientSecret) },
  });
  return body.access_token;
}

/** The records of a system, without a server: those of weeks take long to send. */
export async function demoRecords(
  siteId: string,
  window: { systemId: string; startTime: string; endTime: string },
  now: number,
): Promise<DemoRecord[]> {
  const query = new URLSearchParams({ ...window, includeInverter: "true" });
  const url = `/v1/sites/${siteId}/telemetry?${query.toString()}`;
  const headers = { "vendorapi-version": PREVIEW_VERSION };
  return ((await answerTo({ url, headers }, now)) as { data: DemoRecord[] }).data;
}

export class Reader {
  private constructor(
    readonly baseUrl: string,
    readonly token: string,
  ) {}

  static async of(service: { baseUrl: string; clientId?: string; clientSecret?: string }): Promise<Reader> {
    return new Reader(service.baseUrl, await signIn(service.baseUrl, service));
  }

  /** Sends the version header unless other headers are given. */
  get<Body>(path: string, query: Record<string, string> = {}, headers: Record<string, string> = PC1) {
    return send<Body>(`${this.baseUrl}${path}?${new URLSearchParams(query).toString()}`, {
      headers: { authorization: `Bearer ${this.token}`, ...headers },
    });
  }

  async status(
    path: string,
    query?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<number> {
    const { status, body } = await this.get<{ error?: { code: string; message: string } }>(
      path,
      query,
      headers,
    );
    if (status >= 400 && !(body.error?.code && body.error.message))
      throw new Error(`${status} without an error message`);
    return status;
  }

  async sites(headers?: Record<string, string>): Promise<Site[]> {
    return (await this.get<{ data: Site[] }>("/v1/sites", {}, headers)).body.data;
  }

  async site(siteId: string): Promise<Site> {
    return (await this.get<Site>(`/v1/sites/${siteId}`)).body;
  }

  async alerts(siteId?: string, headers?: Record<string, string>): Promise<Alert[]> {
    const path = siteId === undefined ? "/v1/alerts" : `/v1/sites/${siteId}/alerts`;
    return (await this.get<{ data: Alert[] }>(path, {}, headers)).body.data;
  }

  async telemetry(siteId: string, query: Record<string, string>): Promise<DemoRecord[]> {
    const path = `/v1/sites/${siteId}/telemetry`;
    return (await this.get<{ data: DemoRecord[] }>(path, query)).body.data;
  }

  async rgm(siteId: string, query: Record<string, string>): Promise<DemoRgmRecord[]> {
    const path = `/v1/sites/${siteId}/rgm-telemetry`;
    return (await this.get<{ data: DemoRgmRecord[] }>(path, query)).body.data;
  }
}
