// Sends GET requests with a token that is taken when their turn comes, and repeats them once if it is replaced (service interface 5).
import type { TimeSource } from "../../clock";
import { AuthError, EnergyError, type ErrorText, errorText } from "../../errors";
import { loopTurns } from "../../loop-turns";
import { SingleFlight } from "../../single-flight";
import { type ConnectionSettings, seesPc1 } from "../connection";
import type { Caller } from "../http/fair-queue";
import { type HttpRequest, versionHeaders } from "../http/request";
import { errorDetails, type HttpResponse, isSuccess, jsonOf, type Page, statusError } from "../http/response";
import { Transport } from "../http/transport";
import { type Token, TokenCache } from "./token-cache";

/** Characters of a response that is parsed in a turn of its own; a day of records has more. */
const LARGE = 2 ** 15;

/** What all requests have in common. */
export interface RequestOptions {
  /** Aborts the request, which then rejects with AbortedError. */
  signal?: AbortSignal;
  /** Sends the preview version header even if the account did not opt in to PC1. */
  pc1?: boolean;
  /** Sends the request once: a failure is final. */
  once?: boolean;
  /** Whether it reaches back beyond the present, and may fail while that has an answer. */
  reachesBack?: boolean;
}

/** What is requested. */
export interface Target {
  readonly url: string;
  /** Names it in errors, e.g. `Telemetry of site S1`. */
  readonly what: ErrorText;
  /** The ids in it, that of its site first. */
  readonly ids: readonly string[];
}

export class Session {
  readonly #settings: ConnectionSettings;
  readonly time: TimeSource;
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly tokens: TokenCache;
  readonly #closing: AbortController;
  /** Identical requests in flight at the same time are made once. */
  readonly #inFlight = new SingleFlight<HttpResponse>();
  /** Why the last request failed; undefined after one that succeeded. */
  failure: ErrorText | undefined;
  /** Why the last site list that was read is empty; undefined if it was not. */
  noSites: ErrorText | undefined;

  /**
   * @param time learns the service's time from its responses
   * @param host whose connections a guest uses until that is closed
   */
  constructor(settings: ConnectionSettings, time: TimeSource, host?: Session) {
    this.#settings = settings;
    this.time = time;
    this.baseUrl = settings.baseUrl;
    this.#closing = host ? host.#closing : new AbortController();
    this.transport = new Transport(settings, time, this.#closing.signal, host?.transport);
    this.tokens = new TokenCache(settings, this.transport);
  }

  /** Whether requests reach no PC1 sites. */
  get isPc1Off(): boolean {
    return !seesPc1(this.#settings);
  }

  /** Makes requests over the same connections within limits and with pauses of its own, each once, and after those that wait here. */
  guest(): Session {
    return new Session(this.#settings, this.time, this);
  }

  /** Aborts all requests, also of guests, and later ones at once; closes all connections. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * The JSON of a successful response.
   * @param caller decides when the request has its turn
   * @throws AuthError, HttpError, RateLimitError, ResponseError, and what Transport.send throws
   */
  async get(target: Target, caller: Caller, options: RequestOptions): Promise<Page> {
    const { url, what } = target;
    const { pc1 = false, once = false, signal } = options;
    const version = versionHeaders(this.#settings, pc1);
    // A request that a person waits for does not share the turn of a backlog.
    const key = `${once} ${caller.priority} ${Object.values(version).join()} ${url}`;
    const work = (own: AbortSignal): Promise<HttpResponse> =>
      this.#request(target, version, caller, own, options);
    try {
      const response = await this.#inFlight.run(key, work, signal);
      if (response.text.length > LARGE) await loopTurns.next(signal ?? this.#closing.signal);
      const page = jsonOf(response, what);
      this.failure = undefined;
      return page;
    } catch (error) {
      if (error instanceof EnergyError) this.failure = error.text;
      throw error;
    }
  }

  async #request(
    { url, what, ids }: Target,
    version: Record<string, string>,
    caller: Caller,
    signal: AbortSignal,
    { pc1 = false, once = false, reachesBack = false }: RequestOptions,
  ): Promise<HttpResponse> {
    let token: Token | undefined;
    const requirement = {
      isMet: () => {
        token = this.tokens.current();
        return token !== undefined;
      },
      meet: (waiting: AbortSignal) => this.tokens.renew(waiting),
    };
    const authorized = (): HttpRequest => {
      return { what, method: "GET", url, headers: { Authorization: `Bearer ${token?.text}`, ...version } };
    };
    const [site = ""] = ids;
    const send = (): Promise<HttpResponse> =>
      this.transport.send(authorized, signal, { requirement, site, caller, once, reachesBack });
    let response = await send();
    // A token that has worked may also end with 403: the interface specifies no status (service interface 7).
    const isRefused = response.status === 401 || (response.status === 403 && token?.wasAccepted === true);
    if (isRefused && (await this.tokens.isReplaced(token, signal))) response = await send();
    // Two responses in a row decide what time it is: if the first one left it open, the request is made once more.
    if (isSuccess(response.status) && !this.time.clock.isSure) response = await send();
    if (isSuccess(response.status)) {
      if (token) token.wasAccepted = true;
      return response;
    }
    const confidential = { secrets: this.tokens.secrets, ids };
    if (response.status === 401) {
      const text = errorText(token?.wasAccepted ? "tokenRefusedHere" : "tokenRefused", { what });
      throw new AuthError(text, errorDetails(response, confidential));
    }
    throw statusError(response, what, confidential, this.isPc1Off && !pc1);
  }
}
