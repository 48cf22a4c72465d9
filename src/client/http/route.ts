// The route to the service: a proxy, if any, and the account's own connection pool.
import { Pool } from "undici";
import { ConfigError, errorText, type TextValue } from "../../errors";
import type { ConnectionSettings, ProxyChoice } from "../connection";
import { directConnector, tunnelConnector } from "./connector";
import { loopbackLookup } from "./loopback";

export interface Route {
  pool: Pool;
  /** For error texts; contains neither user name nor password. */
  name: TextValue;
  /** Closes all connections at once, including those still being opened. */
  close(): void;
}

/** Changes no global agent or proxy settings. Throws ConfigError for an invalid proxy URL. */
export function createRoute(settings: ConnectionSettings): Route {
  const url = new URL(settings.baseUrl);
  const proxy = proxyFor(url, settings.proxy);
  const closing = new AbortController();
  const limits = { timeoutMs: settings.timeoutSeconds * 1000, closing: closing.signal };
  const tls = settings.tls ?? {};
  const connect =
    proxy === undefined
      ? directConnector(tls, limits, loopbackLookup(settings.lookup))
      : tunnelConnector(proxy, tls, limits);
  // No timeouts here: the exchange has one for all of it.
  const pool = new Pool(url.origin, { connect, headersTimeout: 0, bodyTimeout: 0 });
  return {
    pool,
    name: proxy === undefined ? url.host : errorText("throughProxy", { host: url.host, proxy: proxy.host }),
    close() {
      closing.abort();
      pool.destroy().catch(() => undefined);
    },
  };
}

/** The proxy to the base URL, or undefined for a direct connection. Throws ConfigError for an invalid proxy URL. */
export function proxyFor(baseUrl: URL, choice: ProxyChoice): URL | undefined {
  // Plain http is allowed for localhost only.
  if (choice === "none" || baseUrl.protocol !== "https:") return undefined;
  const { url, noProxy } = choice === "environment" ? environmentProxy() : choice;
  return noProxy.some((entry) => matches(baseUrl, entry)) ? undefined : proxyUrl(url);
}

/** From the variables that curl and Node-RED use, in lower or upper case. */
function environmentProxy(): { url: string; noProxy: string[] } {
  const variable = (name: string): string => process.env[name] || process.env[name.toUpperCase()] || "";
  return {
    url: variable("https_proxy") || variable("all_proxy"),
    noProxy: variable("no_proxy").split(/[,\s]+/),
  };
}

function proxyUrl(value: string): URL | undefined {
  const text = value.trim();
  if (text === "") return undefined;
  const withScheme = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  const isValid = (url?.protocol === "http:" || url?.protocol === "https:") && hasReadableCredentials(url);
  if (isValid) return url;
  throw new ConfigError("proxyInvalid");
}

/** A bare % in a user name or password cannot be decoded. */
function hasReadableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** Whether an entry of NO_PROXY applies: `*`, a host, `.domain` or `*.domain`, each with an optional port. */
function matches(url: URL, entry: string): boolean {
  const [, pattern = "", port] = /^(.*?)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? [];
  if (pattern === "") return false;
  if (port !== undefined && port !== (url.port || "443")) return false;
  if (/^[.*]/.test(pattern)) return url.hostname.endsWith(pattern.replace(/^\*/, ""));
  return url.hostname === pattern;
}
