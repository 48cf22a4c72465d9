// What a connection to the service is made of: the settings of one account, already resolved and checked.
import type { AgentOptions } from "node:https";

/** `environment`: HTTP(S)_PROXY and NO_PROXY of the process. `none`: always direct. Otherwise a chosen proxy. */
export type ProxyChoice = "environment" | "none" | { url: string; noProxy: string[] };

export interface ConnectionSettings {
  /** Without a trailing slash. */
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** "" asks for PC2 only; otherwise the value of the version header (service interface 9). */
  apiVersion: string;
  /** Name of the version header. */
  versionHeader: string;
  /** For a whole exchange, body included. */
  timeoutSeconds: number;
  /** Requests in flight at the most. */
  concurrency: number;
  /** 0 = no limit. */
  requestsPerMinute: number;
  tls?: AgentOptions;
  proxy: ProxyChoice;
}

export { DEFAULT_VERSION_HEADER } from "../settings/header";

/** The version that opts in to PC1 sites (service interface 9 rule 2). */
export const PREVIEW_VERSION = "2026-01-01.preview";
