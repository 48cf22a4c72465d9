// An axios adapter for undici that limits the size of the response, both as received and decompressed.
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw, type InputType, type ZlibOptions } from "node:zlib";
import { type AxiosAdapter, AxiosHeaders, type AxiosResponse } from "axios";
import type { Dispatcher, Pool } from "undici";
import { AbortedError, errorText, ResponseError } from "../../errors";
import { MAX_SHORT_ANSWER_BYTES } from "../../limits";
import { onAbort } from "../../abort";
import { ExchangeTimeout } from "./failure";

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];
type Decoder = (data: InputType, options: ZlibOptions) => Promise<Buffer>;

/** A class, like everything that leads to a body or its text: see TimedRecord. */
class Received {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly body: Buffer,
  ) {}
}

class TextResponse implements AxiosResponse<string> {
  readonly statusText = "";

  constructor(
    readonly config: AxiosResponse["config"],
    readonly status: number,
    // axios assigns what it has made of these.
    public headers: AxiosResponse["headers"],
    public data: string,
  ) {}
}

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: promisify<InputType, ZlibOptions, Buffer>(gunzip),
  "x-gzip": promisify<InputType, ZlibOptions, Buffer>(gunzip),
  br: promisify<InputType, ZlibOptions, Buffer>(brotliDecompress),
  deflate: promisify<InputType, ZlibOptions, Buffer>(inflate),
};
const decodeRawDeflate: Decoder = promisify<InputType, ZlibOptions, Buffer>(inflateRaw);

/** More than zlib's default of 16 KiB, because each chunk is a trip to the thread pool. */
const CHUNK_BYTES = 128 * 2 ** 10;

/** What all requests have in common. */
export interface Common {
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** Of a successful response, decompressed, unless the request has its own maxContentLength. */
  maxBytes: number;
}

/** The headers of a response that an exchange reads. As AxiosHeaders, they are not checked and copied by axios. */
const RESPONSE_HEADERS = ["content-type", "link", "retry-after", "date", "age"];

/**
 * Makes the adapter for a request with certain headers: axios would copy them several times, and add its own. It supports
 * url, method, signal and maxContentLength; sends no body and follows no redirects. Its promise rejects with ResponseError if
 * the response is too large or cannot be decompressed, at once with AbortedError or ExchangeTimeout, otherwise with undici's
 * error. A response with an error status resolves in any case, without its text if that is too large or cannot be
 * decompressed.
 */
export function undiciAdapter(
  pool: Pool,
  common: Common,
): (headers: Readonly<Record<string, string>>) => AxiosAdapter {
  return (own) =>
    async (config): Promise<AxiosResponse<string>> => {
      const path = pathOf(config.url ?? "");
      const method = (config.method ?? "get").toUpperCase();
      const maxBytes = config.maxContentLength ?? common.maxBytes;
      const limits = { maxBytes, signal: config.signal as AbortSignal, timeoutMs: common.timeoutMs };
      if (isConnectionDraining(pool)) await nextTurn();
      const received = await new Promise<Received>((resolve, reject) => {
        const headers = { ...common.headers, ...own };
        pool.dispatch({ path, method, headers, body: null }, new Receiver(limits, resolve, reject));
      });
      const data = isPlain(received) ? decoded(received.body) : await textOf(received, maxBytes);
      return new TextResponse(config, received.status, passedOn(received.headers), data);
    };
}

/** The pool knows the rest. */
function pathOf(url: string): string {
  return url.slice(url.indexOf("/", url.indexOf("//") + 2));
}

function passedOn(headers: Headers): AxiosResponse["headers"] {
  const passed = new AxiosHeaders();
  for (const name of RESPONSE_HEADERS) if (headers[name] !== undefined) passed[name] = headers[name];
  return passed;
}

/**
 * undici frees a connection one turn of the event loop after its last response. A request that does not wait for that
 * would open another connection needlessly.
 */
function isConnectionDraining({ stats: { connected, free, running } }: Pool): boolean {
  return free === 0 && connected > running;
}

/** Limits on one exchange. */
interface Limits {
  /** Of a successful response. */
  maxBytes: number;
  signal: AbortSignal;
  timeoutMs: number;
}

/** Receives one response, until the signal aborts or the time is up, whether or not undici has started the request. */
class Receiver implements Dispatcher.DispatchHandler {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: Headers = {};
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #maxBytes: number;
  #stopWatching = (): void => undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #resolve: (received: Received) => void;
  readonly #reject: (error: Error) => void;

  constructor(
    { maxBytes, signal, timeoutMs }: Limits,
    resolve: (received: Received) => void,
    reject: (error: Error) => void,
  ) {
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.#fail(new ExchangeTimeout()), timeoutMs);
    this.#stopWatching = onAbort(signal, () => this.#fail(new AbortedError()));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#status = status;
    this.#headers = headers;
    if (isError(status)) this.#maxBytes = MAX_SHORT_ANSWER_BYTES;
    if (Number(headers["content-length"]) > this.#maxBytes) this.#stopReading(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#stopReading(controller);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end();
    const [only] = this.#chunks;
    const isWhole = only !== undefined && this.#chunks.length === 1;
    const body = isWhole ? only : Buffer.concat(this.#chunks, this.#bytes);
    // Lists may outlive the request by far, and so would what they hold.
    this.#chunks.length = 0;
    this.#resolve(new Received(this.#status, this.#headers, body));
  }

  #stopReading(controller: Dispatcher.DispatchController): void {
    this.#chunks.length = 0;
    // Its status says more than its size.
    if (isError(this.#status)) this.#resolve(new Received(this.#status, this.#headers, Buffer.alloc(0)));
    controller.abort(tooLarge(this.#maxBytes));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end();
    this.#reject(error);
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#end();
    this.#reject(error);
    this.#controller?.abort(error);
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#stopWatching();
  }
}

function isError(status: number): boolean {
  return status >= 300;
}

async function textOf(received: Received, maxBytes: number): Promise<string> {
  try {
    if (!isError(received.status)) return decoded(await decompress(received, maxBytes));
    return decoded(await decompress(received, MAX_SHORT_ANSWER_BYTES));
  } catch (error) {
    if (isError(received.status)) return "";
    throw error;
  }
}

/** Whether a response need not be decompressed. */
function isPlain({ headers, body }: Received): boolean {
  const encoding = encodingOf(headers);
  return encoding === "identity" || encoding === "" || body.length === 0;
}

function encodingOf(headers: Headers): string {
  return headers["content-encoding"]?.toString().trim().toLowerCase() ?? "identity";
}

async function decompress({ headers, body }: Received, maxBytes: number): Promise<Buffer> {
  const encoding = encodingOf(headers);
  // Some servers send deflate data without the zlib header.
  const isRaw = encoding === "deflate" && ((body[0] ?? 0) & 0x0f) !== 8;
  const decode = isRaw ? decodeRawDeflate : DECODERS[encoding];
  if (decode === undefined) throw new ResponseError(errorText("answerNotUnpacked"));
  try {
    return await decode(body, { maxOutputLength: maxBytes, chunkSize: CHUNK_BYTES });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge ? tooLarge(maxBytes) : new ResponseError(errorText("answerNotUnpacked"));
  }
}

function decoded(body: Buffer): string {
  const text = body.toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function tooLarge(bytes: number): ResponseError {
  const size = bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`;
  return new ResponseError(errorText("answerTooLarge", { size }));
}
