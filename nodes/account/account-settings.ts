// Turns the properties of an account node into validated connection settings. Throws ConfigError with advice.
import type { Node, NodeAPI } from "node-red";
import type { ConnectionSettings, ProxyChoice, TlsOptions } from "../../src/client/connection";
import { ConfigError } from "../../src/errors";
import { defined } from "../../src/objects";
import type { StoredSettings } from "../../src/settings/table";
import { ACCOUNT } from "./settings";
import { DEFAULT_VERSION_HEADER, PREVIEW_VERSION, proxyAddress } from "../../src/settings/rules";
import { readSettings, resolveText } from "../shared/runtime/base/settings";

/** What is stored of an account, with or without its credentials. */
export type AccountDef = StoredSettings<typeof ACCOUNT>;

export interface Credentials {
  clientId?: string;
  clientSecret?: string;
  /** The origin (scheme, host, port) for which the secret was entered, perhaps with a ${NAME}; set by the dialog. */
  origin?: string;
}

interface TlsNode extends Node {
  valid?: boolean;
  addTLSOptions(options: TlsOptions): TlsOptions;
}

interface ProxyNode extends Node<{ username?: string; password?: string }> {
  url?: string;
  noproxy?: string[];
}

/**
 * The settings of a real account.
 * @param node where environment variables are looked up
 */
export function connectionSettings(RED: NodeAPI, node: Node, stored: AccountDef): ConnectionSettings {
  const values = readSettings(RED, node, ACCOUNT, stored).valid();
  const { service: _service, name: _name, timeout: timeoutSeconds, ...others } = values;
  const proxy = proxyChoice(RED, node, values.proxy);
  return defined({ ...others, timeoutSeconds, proxy, tls: tlsOptions(RED, values.tls) });
}

/**
 * Throws ConfigError if the secret was entered for another origin: then a flow that was imported must not take it there.
 * @param home where a secret belongs that did not come from the dialog; by default, anywhere
 */
export function requireOrigin(
  RED: NodeAPI,
  node: Node,
  { baseUrl }: Pick<ConnectionSettings, "baseUrl">,
  { origin = "" }: Credentials,
  home = (): string => baseUrl,
): void {
  const entered = resolveText(RED, node, origin, { label: "account:label.baseUrl" });
  const owner = originOf(entered || home());
  if (owner !== originOf(baseUrl)) throw new ConfigError("credentialsOrigin", { origin: owner });
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** In demo mode, every site is shown, and the other settings are not in use. */
export const DEMO_SETTINGS = {
  clientId: "demo-client",
  clientSecret: "demo-secret",
  apiVersion: PREVIEW_VERSION,
  versionHeader: DEFAULT_VERSION_HEADER,
  timeoutSeconds: ACCOUNT.timeout.default,
  concurrency: ACCOUNT.concurrency.default,
  requestsPerMinute: ACCOUNT.requestsPerMinute.default,
  proxy: "none",
} as const;

function tlsOptions(RED: NodeAPI, id: string): TlsOptions | undefined {
  if (!id) return undefined;
  const tls = RED.nodes.getNode(id) as TlsNode | undefined;
  if (!tls || typeof tls.addTLSOptions !== "function") throw new ConfigError("tlsMissing");
  // If the core node cannot read its certificate files, it returns options without certificates.
  if (tls.valid === false) throw new ConfigError("tlsInvalid");
  const options: TlsOptions = {};
  tls.addTLSOptions(options);
  return options;
}

function proxyChoice(RED: NodeAPI, node: Node, id: string): ProxyChoice {
  if (!id) return "environment";
  const found = RED.nodes.getNode(id) as ProxyNode | undefined;
  // A node of another type may have a URL and a password, too.
  const proxy = found?.type === "http proxy" ? found : undefined;
  // The URL of a proxy may have a password.
  const label = { label: "account:label.proxy" };
  const address = proxyAddress(proxy?.url ? resolveText(RED, node, proxy.url, label) : "");
  if (!proxy || !URL.canParse(address)) throw new ConfigError("proxyMissing");
  const url = new URL(address);
  const { username, password } = proxy.credentials ?? {};
  if (username) {
    url.username = encodeURIComponent(username);
    url.password = encodeURIComponent(password ?? "");
  }
  return { url: url.href, noProxy: proxy.noproxy ?? [] };
}
