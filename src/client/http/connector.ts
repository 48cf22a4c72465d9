// Opens connections for undici, directly or through a proxy's tunnel: within a time limit, and until the route is closed.
import { connect as connectTcp, isIP, type Socket } from "node:net";
import type { AgentOptions } from "node:https";
import { connect as connectTls } from "node:tls";
import { type buildConnector, Pool } from "undici";
import { onAbort, withSignal } from "../../waiting";
import { ProxyRefusal } from "./failure";

/** What bounds the opening of a connection. */
export interface Opening {
  timeoutMs: number;
  /** Aborts when the route is closed. */
  closing: AbortSignal;
}

type Connector = buildConnector.connector;
type Target = Parameters<Connector>[0];
type Done = Parameters<Connector>[1];

const KEEP_ALIVE_MS = 60_000;

/**
 * undici's own connector has no ALPN protocol but http/1.1, whatever the TLS configuration says, and does not end a
 * connection that is still being opened when its pool is destroyed.
 */
export function directConnector(tls: AgentOptions, opening: Opening): Connector {
  let session: Buffer | undefined;
  return (target, done) => {
    if (target.protocol !== "https:") {
      const socket = connectTcp({ host: target.hostname, port: Number(target.port || 80) });
      settle(socket, "connect", opening, done);
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
    settle(socket, "secureConnect", opening, done);
  };
}

/**
 * Opens a tunnel (CONNECT), and TLS to the service inside it. undici's ProxyAgent does the same, but calls a proxy that
 * hangs up on CONNECT again without a pause, and neither bounds nor aborts a CONNECT that is never answered.
 */
export function tunnelConnector(proxy: URL, tls: AgentOptions, opening: Opening): Connector {
  const { timeoutMs, closing } = opening;
  const { ca, rejectUnauthorized } = tls;
  const proxyTls = {
    ...(ca !== undefined && { ca }),
    ...(rejectUnauthorized === false && { rejectUnauthorized }),
  };
  const toProxy = new Pool(proxy.origin, {
    connect: directConnector(proxyTls, opening),
    headersTimeout: 0,
    keepAliveTimeout: 100,
  });
  onAbort(closing, () => void toProxy.destroy().catch(() => undefined));
  const secure = directConnector(tls, opening);
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
      (error: unknown) => done(finalError(error), null),
    );
  };
}

/** Hands the socket over once it is open. A socket that fails later is undici's affair. */
function settle(socket: Socket, opened: "connect" | "secureConnect", opening: Opening, done: Done): void {
  const fail = (code: string): void => void socket.destroy(Object.assign(new Error(code), { code }));
  const timer = setTimeout(() => fail("ETIMEDOUT"), opening.timeoutMs);
  const stopWatching = onAbort(opening.closing, () => fail("ECONNABORTED"));
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

/** For some of its own codes undici would connect again and again, without a pause, for as long as a request waits. */
function finalError(error: unknown): Error {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? "";
  const isFinal = error instanceof Error && !/^UND_ERR_(INFO|SOCKET)$/.test(code);
  return isFinal ? error : Object.assign(new Error("CONNECT"), { code: "ECONNRESET" });
}
