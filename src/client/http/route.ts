// The route to the service: a proxy, if any, and the account's own connection pool.
import { lookup as systemLookup } from "node:dns";
import type { AgentOptions } from "node:https";
import { BlockList, connect as connectTcp, isIP, isIPv6, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type buildConnector, Pool } from "undici";
import { onAbort, withSignal } from "../../abort";
import { AbortedError, ConfigError, errorText, type TextValue } from "../../errors";
import type { ConnectionSettings, ProxyChoice } from "../connection";
import { proxyRefusal } from "./failure";

export interface Route {
  pool: Pool;
  /** For error texts; contains neither user name nor password. */
  name: TextValue;
}

/**
 * Changes no global agent or proxy settings. Throws ConfigError for an invalid proxy URL.
 * @param closing closes all connections at once, including those still being opened
 */
export function createRoute(settings: ConnectionSettings, closing: AbortSignal): Route {
  const url = new URL(settings.baseUrl);
  const proxy = proxyFor(url, settings.proxy);
  const limits = { timeoutMs: settings.timeoutSeconds * 1000, closing };
  const tls = settings.tls ?? {};
  const connect =
    proxy === undefined
      ? directConnector(tls, limits, loopbackLookup(settings.lookup))
      : tunnelConnector(proxy, tls, limits);
  // No timeouts here: the exchange has one for all of it.
  const pool = new Pool(url.origin, { connect, headersTimeout: 0, bodyTimeout: 0 });
  onAbort(closing, () => void pool.destroy().catch(() => undefined));
  return {
    pool,
    name: proxy === undefined ? url.host : errorText("throughProxy", { host: url.host, proxy: proxy.host }),
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

/** Limits on opening a connection. */
interface ConnectLimits {
  timeoutMs: number;
  /** Aborts when the route is closed. */
  closing: AbortSignal;
}

type Connector = buildConnector.connector;
type Target = Parameters<Connector>[0];
type Done = Parameters<Connector>[1];

const KEEP_ALIVE_MS = 60_000;

/**
 * Replaces undici's own connector, which ignores the ALPN protocols of the TLS configuration and, when its pool is
 * destroyed, does not close a connection that is still being opened.
 * @param lookup resolves the host names of plain http; default: as the system does
 */
function directConnector(tls: AgentOptions, limits: ConnectLimits, lookup?: LookupFunction): Connector {
  let session: Buffer | undefined;
  return (target, done) => {
    if (target.protocol !== "https:") {
      const socket = connectTcp({
        host: target.hostname,
        port: Number(target.port || 80),
        ...(lookup && { lookup }),
      });
      reportOpened(socket, "connect", limits, done);
      return;
    }
    const socket = connectTls({
      ALPNProtocols: ["http/1.1"],
      ...(isIP(target.hostname) === 0 && { servername: target.hostname }),
      ...tls,
      host: target.hostname,
      port: Number(target.port || 443),
      ...(target.httpSocket && { socket: target.httpSocket }),
      ...(session && { session }),
    });
    socket.on("session", (issued) => (session = issued));
    reportOpened(socket, "secureConnect", limits, done);
  };
}

/**
 * Opens a tunnel (CONNECT), and TLS to the service inside it. Replaces undici's ProxyAgent, which retries in a tight loop
 * if the proxy hangs up on CONNECT, and neither times out nor aborts a CONNECT without a response.
 */
function tunnelConnector(proxy: URL, tls: AgentOptions, limits: ConnectLimits): Connector {
  const { timeoutMs, closing } = limits;
  const { ca, rejectUnauthorized } = tls;
  const proxyTls = {
    ...(ca !== undefined && { ca }),
    ...(rejectUnauthorized === false && { rejectUnauthorized }),
  };
  const toProxy = new Pool(proxy.origin, {
    connect: directConnector(proxyTls, limits),
    headersTimeout: 0,
    keepAliveTimeout: 100,
  });
  onAbort(closing, () => void toProxy.destroy().catch(() => undefined));
  const secure = directConnector(tls, limits);
  const headers = authorization(proxy);
  return (target, done) => {
    const path = hostAndPort(target);
    withSignal([closing], (signal) => toProxy.connect({ path, headers, signal }), { ms: timeoutMs }).then(
      ({ socket, statusCode }) => {
        if (statusCode >= 200 && statusCode < 300) {
          secure({ ...target, httpSocket: socket as Socket }, done);
          return;
        }
        socket.on("error", () => undefined).destroy();
        done(proxyRefusal(statusCode), null);
      },
      (error: unknown) => {
        const isTimedOut = error instanceof AbortedError && !closing.aborted;
        done(
          isTimedOut ? Object.assign(new Error("CONNECT"), { code: "ETIMEDOUT" }) : finalError(error),
          null,
        );
      },
    );
  };
}

/** Calls `done` once the socket is open or has failed. Later failures are up to undici. */
function reportOpened(
  socket: Socket,
  opened: "connect" | "secureConnect",
  limits: ConnectLimits,
  done: Done,
): void {
  const fail = (code: string): void => void socket.destroy(Object.assign(new Error(code), { code }));
  const timer = setTimeout(() => fail("ETIMEDOUT"), limits.timeoutMs);
  const stopWatching = onAbort(limits.closing, () => fail("ECONNABORTED"));
  const end = (): void => {
    clearTimeout(timer);
    stopWatching();
    socket.off("error", failed).off(opened, succeeded);
  };
  const failed = (error: Error): void => {
    end();
    socket.on("error", () => undefined);
    done(error, null);
  };
  const succeeded = (): void => {
    end();
    done(null, socket);
  };
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS).on("error", failed).on(opened, succeeded);
}

function hostAndPort({ host, port }: Target): string {
  return port ? (host ?? "") : `${host}:443`;
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
  return isFinal ? error : Object.assign(new Error("CONNECT"), { code: "ECONNRESET" });
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Whether an IP address is this machine's own, also if it is IPv4 written as IPv6. */
export function isLoopbackAddress(address: string): boolean {
  return LOOPBACK.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** Leaves out all other addresses, and fails with ConfigError if none is left. */
function loopbackLookup(resolve: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, options, (error, found, family) => {
      if (error) {
        done(error, found, family);
        return;
      }
      const addresses = Array.isArray(found) ? found : [{ address: found, family: family ?? 0 }];
      const own = addresses.filter(({ address }) => isLoopbackAddress(address));
      const [first] = own;
      if (first === undefined) done(new ConfigError("baseUrlElsewhere", { host: hostname }), "");
      else if (Array.isArray(found)) done(null, own);
      else done(null, first.address, first.family);
    });
  };
}
