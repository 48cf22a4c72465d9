// Opens connections for undici, directly or through a proxy, within a time limit and until the route is closed.
import { AbortedError } from "../../errors";
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import type { AgentOptions } from "node:https";
import { connect as connectTls } from "node:tls";
import { type buildConnector, Pool } from "undici";
import { onAbort, withSignal } from "../../abort";
import { ProxyRefusal } from "./failure";

/** Limits on opening a connection. */
export interface ConnectLimits {
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
export function directConnector(
  tls: AgentOptions,
  limits: ConnectLimits,
  lookup?: LookupFunction,
): Connector {
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
export function tunnelConnector(proxy: URL, tls: AgentOptions, limits: ConnectLimits): Connector {
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
        done(new ProxyRefusal(statusCode), null);
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
