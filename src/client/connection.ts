// The settings of a connection to the service, checked and with environment variables resolved.
import type { ConnectionOptions, SecureContextOptions } from "node:tls";

/** `environment`: from HTTPS_PROXY, ALL_PROXY and NO_PROXY. `none`: always direct. Otherwise a specific proxy. */
export type ProxyChoice =
  | "environment"
  | "none"
  | {
      /** http or https, with user name and password if the proxy requires them. */
      url: string;
      /** Hosts to reach directly: `*`, `host`, `.domain` or `*.domain`, each with an optional `:port`. */
      noProxy: string[];
    };

/** What of a core tls-config node applies to a client. */
export type TlsOptions = SecureContextOptions & Pick<ConnectionOptions, "servername" | "rejectUnauthorized">;

export interface ConnectionSettings {
  /** https, or http to a loopback host. */
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** Value of the version header; "" = none, PC2 sites only (service interface 9). */
  apiVersion: string;
  /** Name of the version header. */
  versionHeader: string;
  /** Seconds for a whole request and response, body included. */
  timeoutSeconds: number;
  /** Maximum number of requests in flight. */
  concurrency: number;
  /** Maximum number of requests in any 60 s; 0 = no limit. */
  requestsPerMinute: number;
  /** Milliseconds before the second and each further attempt of a request that failed. Default: 1 s, 3 s and 10 s. */
  retryDelaysMs?: readonly number[];
  tls?: TlsOptions;
  /** Plain http never goes through a proxy. */
  proxy: ProxyChoice;
}

/** Whether the account opted in to PC1, which takes the preview version, or one that this package does not know. */
export function seesPc1({ apiVersion }: Pick<ConnectionSettings, "apiVersion">): boolean {
  return apiVersion !== "";
}
