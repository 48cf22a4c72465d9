// Which proxy, if any, leads to a host.
import { getProxyForUrl } from "proxy-from-env";
import type { ProxyChoice } from "../connection";
import { ConfigError } from "../../errors";

/** The proxy for requests to the base URL, or undefined for a direct connection. Throws ConfigError for a bad address. */
export function proxyFor(baseUrl: URL, choice: ProxyChoice): URL | undefined {
  if (choice === "none") return undefined;
  if (choice === "environment") return proxyUrl(getProxyForUrl(baseUrl.href));
  return choice.noProxy.some((entry) => matches(baseUrl, entry)) ? undefined : proxyUrl(choice.url);
}

/** Whether an HTTP library left to itself would take a proxy that the environment names. */
export function isProxyInEnvironment(url: string): boolean {
  return getProxyForUrl(url) !== "";
}

function proxyUrl(address: string): URL | undefined {
  const text = address.trim();
  if (text === "") return undefined;
  const withScheme = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new ConfigError("proxyInvalid");
}

/** The usual no_proxy rules: `*`, a host, `.domain` or `*.domain`, each with an optional port. */
function matches(url: URL, entry: string): boolean {
  const [, pattern = "", port] = /^(.*?)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? [];
  if (pattern === "") return false;
  if (port !== undefined && port !== (url.port || (url.protocol === "https:" ? "443" : "80"))) return false;
  if (/^[.*]/.test(pattern)) return url.hostname.endsWith(pattern.replace(/^\*/, ""));
  return url.hostname === pattern;
}
