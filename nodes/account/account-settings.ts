// Turns the properties of an account node into checked connection settings. Throws ConfigError with what to do.
import type { AgentOptions } from "node:https";
import type { Node, NodeAPI } from "node-red";
import {
  type ConnectionSettings,
  DEFAULT_VERSION_HEADER,
  type ProxyChoice,
} from "../../src/client/connection";
import { ConfigError } from "../../src/errors";
import { LONGEST_TIMER, numberSetting, resolveText } from "../shared/runtime/settings";

export interface AccountDef {
  service?: "live" | "demo";
  baseUrl?: string;
  apiVersion?: string;
  versionHeader?: string;
  timeout?: number | string;
  concurrency?: number | string;
  requestsPerMinute?: number | string;
  tls?: string;
  proxy?: string;
}

export interface Credentials {
  clientId?: string;
  clientSecret?: string;
}

/** The core tls-config node. */
interface TlsNode extends Node {
  valid?: boolean;
  addTLSOptions(options: AgentOptions): AgentOptions;
}

/** The core http proxy node. */
interface ProxyNode extends Node<{ username?: string; password?: string }> {
  url?: string;
  noproxy?: string[];
}

type Endpoint = Pick<ConnectionSettings, "baseUrl" | "clientId" | "clientSecret">;

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** The settings of a real account. */
export function connectionSettings(
  RED: NodeAPI,
  node: Node<Credentials>,
  config: AccountDef,
): ConnectionSettings {
  const clientId = resolveText(RED, node, node.credentials?.clientId ?? "");
  const clientSecret = resolveText(RED, node, node.credentials?.clientSecret ?? "");
  const baseUrl = checkedBaseUrl(resolveText(RED, node, config.baseUrl ?? ""));
  if (!clientId || !clientSecret) throw new ConfigError("credentialsMissing");
  // The colon parts it from the secret (service interface 5 rule 2).
  if (clientId.includes(":")) throw new ConfigError("clientIdColon");
  const tls = tlsOptions(RED, config.tls);
  return {
    ...commonSettings(RED, node, config),
    baseUrl,
    clientId,
    clientSecret,
    proxy: proxyChoice(RED, node, config.proxy),
    ...(tls ? { tls } : {}),
  };
}

/** The settings for the simulated service, which runs in this process. */
export function demoSettings(
  RED: NodeAPI,
  node: Node,
  config: AccountDef,
  endpoint: Endpoint,
): ConnectionSettings {
  return {
    ...commonSettings(RED, node, { ...config, versionHeader: DEFAULT_VERSION_HEADER }),
    ...endpoint,
    proxy: "none",
  };
}

function commonSettings(
  RED: NodeAPI,
  node: Node,
  config: AccountDef,
): Omit<ConnectionSettings, keyof Endpoint | "proxy" | "tls"> {
  const apiVersion = resolveText(RED, node, config.apiVersion ?? "");
  const versionHeader = resolveText(RED, node, config.versionHeader ?? "") || DEFAULT_VERSION_HEADER;
  if (!HEADER_NAME.test(versionHeader)) throw new ConfigError("versionHeaderInvalid");
  if (!HEADER_VALUE.test(apiVersion)) throw new ConfigError("apiVersionInvalid");
  return {
    apiVersion,
    versionHeader,
    timeoutSeconds: numberSetting(config.timeout, {
      label: "Timeout (seconds)",
      fallback: 30,
      min: 0.001,
      max: LONGEST_TIMER,
    }),
    concurrency: Math.floor(
      numberSetting(config.concurrency, { label: "Requests at once", fallback: 4, min: 1 }),
    ),
    requestsPerMinute: numberSetting(config.requestsPerMinute, {
      label: "Requests per minute",
      fallback: 0,
      min: 0,
    }),
  };
}

/** https, or http to this machine: credentials never cross a network in the clear. */
function checkedBaseUrl(text: string): string {
  if (!text.trim()) throw new ConfigError("baseUrlMissing");
  const url = parseUrl(text.trim());
  if (!url) throw new ConfigError("baseUrlInvalid");
  if (url.username || url.password) throw new ConfigError("baseUrlCredentials");
  if (url.search || url.hash) throw new ConfigError("baseUrlQuery");
  const isAllowed = url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (!isAllowed) throw new ConfigError("baseUrlInsecure");
  return url.href.replace(/\/+$/, "");
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function tlsOptions(RED: NodeAPI, id: string | undefined): AgentOptions | undefined {
  if (!id) return undefined;
  const tls = RED.nodes.getNode(id) as TlsNode | undefined;
  if (!tls || typeof tls.addTLSOptions !== "function") throw new ConfigError("tlsMissing");
  // The core node gives options without its certificates when their files could not be read.
  if (tls.valid === false) throw new ConfigError("tlsInvalid");
  const options: AgentOptions = {};
  tls.addTLSOptions(options);
  return options;
}

function proxyChoice(RED: NodeAPI, node: Node, id: string | undefined): ProxyChoice {
  if (!id) return "environment";
  const proxy = RED.nodes.getNode(id) as ProxyNode | undefined;
  const url = proxy?.url ? parseUrl(resolveText(RED, node, proxy.url)) : undefined;
  if (!proxy || !url) throw new ConfigError("proxyMissing");
  const { username, password } = proxy.credentials ?? {};
  if (username) {
    url.username = encodeURIComponent(username);
    url.password = encodeURIComponent(password ?? "");
  }
  return { url: url.href, noProxy: proxy.noproxy ?? [] };
}
