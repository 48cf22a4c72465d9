// One HTTP exchange: sends a request and receives the text of its response, within the account's timeout and limits on its size.
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzip, type InputType, type ZlibOptions } from "node:zlib";
import type { InternalAxiosRequestConfig } from "axios";
import type { Dispatcher, Pool } from "undici";
import { onAbort } from "../../abort";
import type { TimeSource } from "../../clock";
import {
  AbortedError,
  EnergyError,
  type ErrorKey,
  errorText,
  NetworkError,
  ResponseError,
  type TextValue,
  TimeoutError,
} from "../../errors";
import { MAX_ANSWER_BYTES, MAX_SHORT_ANSWER_BYTES } from "../../limits";
import { cachedPromise } from "../../single-flight";
import { VERSION } from "../../version";
import type { ConnectionSettings } from "../connection";
import type { HttpRequest } from "./request";
import { type HttpResponse, isSuccess } from "./response";
import { httpDate, parseRetryAfter } from "./retry";
import type { Route } from "./route";

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

const USER_AGENT = `energy-sites-node-red/${VERSION} (@energy-sites/node-red)`;

export class Exchange {
  /** Loads axios and undici on the first request, since that takes 100 ms, in a turn of the event loop each. Other packages cannot alter a bare Axios. */
  readonly #open = cachedPromise(async () => {
    await nextTurn();
    // axios first: it makes Node.js set up its own fetch. Otherwise our undici would serve fetch for the whole process.
    const { Axios }: typeof import("axios") = require("axios");
    await nextTurn();
    const { createRoute }: typeof import("./route") = require("./route");
    return { axios: new Axios(), route: createRoute(this.#settings, this.#closing) };
  });
  readonly #settings: ConnectionSettings;
  readonly #time: TimeSource;
  readonly #closing: AbortSignal;

  /**
   * @param time learns the service's time from every successful response
   * @param closing closes all connections, including those still being opened
   */
  constructor(settings: ConnectionSettings, time: TimeSource, closing: AbortSignal) {
    this.#settings = settings;
    this.#time = time;
    this.#closing = closing;
  }

  /**
   * The response, whatever its status. Redirects are not followed, so that the token goes nowhere else.
   * @throws TimeoutError, NetworkError, ResponseError, AbortedError; ConfigError for an invalid proxy
   */
  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const isAborted = (): boolean => signal.aborted || this.#closing.aborted;
    const { axios, route } = await this.#open();
    if (isAborted()) throw new AbortedError();
    try {
      // What axios does not need to know goes straight to undici: axios would merge, check and copy it for each request.
      const adapter = async (config: InternalAxiosRequestConfig) => {
        const data = await this.#receive(request, route, signal);
        return { config, data, status: data.status, statusText: "", headers: {} };
      };
      const { url, method } = request;
      return (await axios.request<HttpResponse>({ url, method, signal, adapter })).data;
    } catch (error) {
      if (isAborted()) throw new AbortedError();
      throw error instanceof EnergyError ? error : connectionFailure(error, route.name);
    }
  }

  async #receive(
    { method, url, headers: own, maxBytes = MAX_ANSWER_BYTES }: HttpRequest,
    { pool, name }: Route,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const sentAt = this.#time.clock.monotonic();
    if (isConnectionDraining(pool)) await nextTurn();
    // The pool knows the rest.
    const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
    const headers = {
      Accept: "application/json",
      "Accept-Encoding": "gzip",
      "User-Agent": USER_AGENT,
      ...own,
    };
    const options = { path, method, headers, body: null };
    const { timeoutSeconds: seconds } = this.#settings;
    const timedOut = (): Error => new TimeoutError("timedOut", { route: name, seconds });
    const limits = { maxBytes, timeoutMs: seconds * 1000, timedOut, signal };
    const { status, headers: received, body } = await dispatch(pool, options, limits);
    /** Of several with one name, the first: as Node.js has it, and what a proxy adds comes later. */
    const header = (name: string): string | undefined => {
      const value = received[name];
      return Array.isArray(value) ? value[0] : value;
    };
    const encoding = header("content-encoding")?.trim().toLowerCase().replace("x-gzip", "gzip") ?? "";
    // The status of an error says more than its text.
    const readable = decompressed(body, encoding, bytesOf(status, maxBytes));
    const retryAfter = parseRetryAfter(header("retry-after"), header("date"));
    const response = {
      status,
      text: (await (isSuccess(status) ? readable : readable.catch(() => NOTHING))).toString(),
      contentType: header("content-type") ?? "",
      link: received["link"]?.toString() ?? "",
      // A service with too many requests gets no more of them without any pause, even if it says 0.
      retryAfter: status === 429 && retryAfter === 0 ? undefined : retryAfter,
    };
    if (isSuccess(status)) this.#time.observe(serviceTimes(header("date"), header("age")), sentAt);
    return response;
  }
}

/**
 * undici frees a connection one turn of the event loop after its last response. A request that does not wait for that
 * would open another connection needlessly.
 */
function isConnectionDraining({ stats: { connected, free, running } }: Pool): boolean {
  return free === 0 && connected > running;
}

/**
 * Receives one response, until the signal aborts or the time is up, whether or not undici has started the request. Rejects at once
 * with AbortedError or TimeoutError, with ResponseError if the response is too large, otherwise with undici's error. A response
 * with an error status resolves in any case, without its body if that is too large.
 */
function dispatch(
  pool: Pool,
  options: Dispatcher.DispatchOptions,
  limits: { maxBytes: number; timeoutMs: number; timedOut: () => Error; signal: AbortSignal },
): Promise<{ status: number; headers: Headers; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let [bytes, status] = [0, 0];
    let headers: Headers = {};
    let controller: Dispatcher.DispatchController | undefined;
    let failure: Error | undefined;
    const end = (): void => {
      clearTimeout(timer);
      stopWatching();
    };
    const fail = (error: Error): void => {
      failure = error;
      end();
      reject(error);
      controller?.abort(error);
    };
    const timer = setTimeout(() => fail(limits.timedOut()), limits.timeoutMs);
    const stopWatching = onAbort(limits.signal, () => fail(new AbortedError()));
    pool.dispatch(options, {
      onRequestStart(started) {
        controller = started;
        if (failure) started.abort(failure);
      },
      onResponseStart(_controller, receivedStatus, receivedHeaders) {
        status = receivedStatus;
        headers = receivedHeaders;
      },
      onResponseData(_controller, chunk) {
        bytes += chunk.length;
        chunks.push(chunk);
        const maxBytes = bytesOf(status, limits.maxBytes);
        if (bytes <= maxBytes) return;
        if (!isSuccess(status)) resolve({ status, headers, body: NOTHING });
        controller?.abort(tooLarge(maxBytes));
      },
      onResponseEnd() {
        end();
        resolve({ status, headers, body: Buffer.concat(chunks) });
      },
      onResponseError(_controller, error) {
        end();
        reject(error);
      },
    });
  });
}

/** How many bytes a response may have: that of an error has only a text. */
function bytesOf(status: number, maxBytes: number): number {
  return isSuccess(status) ? maxBytes : MAX_SHORT_ANSWER_BYTES;
}

const NOTHING = Buffer.alloc(0);
const unzip = promisify<InputType, ZlibOptions, Buffer>(gunzip);
/** More than zlib's default of 16 KiB, because each chunk is a trip to the thread pool. */
const CHUNK_BYTES = 128 * 2 ** 10;

/** Throws ResponseError if the body is too large or cannot be decompressed. */
async function decompressed(body: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  if (encoding === "" || encoding === "identity" || body.length === 0) return body;
  try {
    if (encoding === "gzip") return await unzip(body, { maxOutputLength: maxBytes, chunkSize: CHUNK_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(maxBytes);
  }
  throw new ResponseError(errorText("answerNotUnpacked"));
}

function tooLarge(bytes: number): ResponseError {
  const size = bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`;
  return new ResponseError(errorText("answerTooLarge", { size }));
}

/**
 * When the service may have sent a response, in milliseconds: the Date header is that of the origin, or of the cache that kept
 * the response for the seconds of Age. Empty if there is no valid date.
 */
function serviceTimes(date: string | undefined, age = ""): number[] {
  const time = httpDate(date);
  if (time === undefined) return [];
  return /^\d{1,9}$/.test(age.trim()) ? [time, time + Number(age) * 1000] : [time];
}

/** Patterns of error codes, and the texts that explain them. */
const MEANINGS = [
  [/^ECONNREFUSED/, "refusedConnection"],
  [/^(ENOTFOUND|EAI_)/, "unknownHost"],
  [
    /^(ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM|UND_ERR_(SOCKET|ABORT|INFO|CLOSED|DESTROYED|RES_CONTENT))/,
    "connectionBroke",
  ],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)/, "unreachable"],
  [/ALTNAME/, "certificateName"],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)/, "certificateTime"],
  [/^DEPTH_ZERO_SELF_SIGNED/, "certificateSelfSigned"],
  [/^ERR_OSSL/, "tlsInvalid"],
  [/CERT|^UNABLE_TO_|SIGNED/, "certificate"],
  [/^(EPROTO|ERR_SSL|ERR_TLS)/, "tlsFailed"],
  [/^UND_ERR_HEADERS_OVERFLOW/, "headersTooLarge"],
  [/^(HPE_|HTTP_PARSER)/, "notHttp"],
  [/^PROXY_407/, "proxyCredentials"],
  [/^PROXY_/, "proxyRefused"],
] as const satisfies readonly (readonly [RegExp, ErrorKey])[];

/** Why an exchange failed, with nothing of the underlying error but its code. */
function connectionFailure(error: unknown, route: TextValue): NetworkError {
  const { name = "", code: given } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  // Errors of undici's parser have no code.
  const known = given ?? (name === "HTTPParserError" ? "HTTP_PARSER" : "");
  const code = /^[A-Z][A-Z0-9_]*$/.test(known) ? known : "UNKNOWN";
  const meaning = MEANINGS.find(([pattern]) => pattern.test(code))?.[1] ?? "failedConnection";
  return new NetworkError("noConnection", { route, reason: errorText(meaning), code });
}
