// The route to the service: a proxy, if any, and the account's own connection pool.
import { isIPv6, type LookupFunction, Socket } from "node:net";
import { buildConnector, Pool } from "undici";
import { onAbort, withSignal } from "../../abort";
import { AbortedError, ConfigError, errorText } from "../../errors";
import { defined } from "../../objects";
import { proxyAddress } from "../../settings/rules";
import type { ConnectionSettings, ProxyChoice, TlsOptions } from "../connection";

export type Route = ReturnType<typeof createRoute>;

/**
 * Changes no global agent or proxy settings. Throws ConfigError for an invalid proxy URL.
 * @param closing closes all connections at once, including those still being opened
 */
export function createRoute(settings: ConnectionSettings, closing: AbortSignal) {
  const { tls = {}, timeoutSeconds, baseUrl } = settings;
  const url = new URL(baseUrl);
  const { host } = url;
  const proxy = proxyFor(url, settings.proxy);
  const timeout = timeoutSeconds * 1000;
  const lookup = url.protocol === "http:" ? { lookup: loopbackLookup } : {};
  const connect = proxy
    ? tunnelConnector(proxy, tls, timeout, closing)
    : connectorUntil(closing, { ...tls, ...lookup, timeout });
  // No timeouts here: the exchange has one for all of it.
  const pool = new Pool(url.origin, { connect, headersTimeout: 0, bodyTimeout: 0 });
  onAbort(closing, () => void pool.destroy().catch(() => undefined));
  /** For error texts; contains neither user name nor password. */
  const name = proxy ? errorText("throughProxy", { host, proxy: proxy.host }) : host;
  return { pool, name };
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
  if (value.trim() === "") return undefined;
  try {
    const url = new URL(proxyAddress(value));
    // A bare % in a user name or password cannot be decoded.
    decodeURIComponent(url.username + url.password);
    if (/^https?:$/.test(url.protocol)) return url;
  } catch {
    // As for another protocol.
  }
  throw new ConfigError("proxyInvalid");
}

/** Whether an entry of NO_PROXY applies: `*`, a host, `.domain` or `*.domain`, each with an optional port; `::1` needs no brackets. */
function matches(url: URL, entry: string): boolean {
  const text = entry.trim().toLowerCase();
  const [, pattern = "", port] = /^(.*?)(?::(\d+))?$/.exec(isIPv6(text) ? `[${text}]` : text) ?? [];
  if (pattern === "") return false;
  if (port !== undefined && port !== (url.port || "443")) return false;
  if (/^[.*]/.test(pattern)) return url.hostname.endsWith(pattern.replace(/^\*/, ""));
  return url.hostname === pattern;
}

/** Undici's own, which by itself goes on connecting after its pool is destroyed. */
function connectorUntil(
  closing: AbortSignal,
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, done) => {
    try {
      // It returns the socket, although its type does not say so.
      const socket: unknown = connect(target, (...result) => {
        stopWatching();
        done(...result);
      });
      const stopWatching = onAbort(closing, () => {
        if (socket instanceof Socket) socket.destroy(new AbortedError());
      });
    } catch (error) {
      // Node.js throws for a certificate or key that it cannot use.
      target.httpSocket?.destroy();
      done(error as Error, null);
    }
  };
}

/**
 * Opens a tunnel (CONNECT), and TLS to the service inside it. Replaces undici's ProxyAgent, which retries in a tight loop
 * if the proxy hangs up on CONNECT, and neither times out nor aborts a CONNECT without a response.
 */
function tunnelConnector(
  proxy: URL,
  tls: TlsOptions,
  timeout: number,
  closing: AbortSignal,
): buildConnector.connector {
  const { ca, rejectUnauthorized = true } = tls;
  const proxyTls = defined({ ca, rejectUnauthorized: rejectUnauthorized ? undefined : false });
  const toProxy = new Pool(proxy.origin, {
    connect: connectorUntil(closing, { ...proxyTls, timeout }),
    headersTimeout: 0,
    keepAliveTimeout: 100,
  });
  onAbort(closing, () => void toProxy.destroy().catch(() => undefined));
  const secure = connectorUntil(closing, { ...tls, timeout });
  const headers = authorization(proxy);
  return (target, done) => {
    const path = target.port ? (target.host ?? "") : `${target.host}:443`;
    withSignal([closing], (signal) => toProxy.connect({ path, headers, signal }), { ms: timeout }).then(
      ({ socket, statusCode }) => {
        if (statusCode >= 200 && statusCode < 300) {
          secure({ ...target, httpSocket: socket as Socket }, done);
          return;
        }
        socket.on("error", () => undefined).destroy();
        done(connectError(`PROXY_${statusCode}`), null);
      },
      (error: unknown) => {
        const isTimedOut = error instanceof AbortedError && !closing.aborted;
        done(isTimedOut ? connectError("ETIMEDOUT") : finalError(error), null);
      },
    );
  };
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(text).toString("base64")}` };
}

/** Replaces the error codes for which undici would retry in a tight loop. */
function finalError(error: unknown): Error {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? "";
  const isFinal = error instanceof Error && !/^UND_ERR_(INFO|SOCKET)$/.test(code);
  return isFinal ? error : connectError("ECONNRESET");
}

function connectError(code: string): Error {
  return Object.assign(new Error("CONNECT"), { code });
}

const LOOPBACK = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** Plain http is for loopback names only: they are this machine, whatever a name server says (RFC 6761, 6.3). */
const loopbackLookup: LookupFunction = (_hostname, { all }, done) => {
  if (all) done(null, LOOPBACK);
  else done(null, "127.0.0.1", 4);
};
