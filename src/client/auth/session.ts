// Sends GET requests with a token that is taken when their turn comes, and repeats them once if it is replaced (service interface 5).
import { AuthError, type ErrorText, errorText } from "../../errors";
import { type ConnectionSettings, pc1Mode } from "../connection";
import {
  errorDetails,
  type HttpResponse,
  isSuccess,
  type Json,
  jsonOf,
  sizeOfLongText,
  statusError,
} from "../http/response";
import type { Requirement } from "../http/admission";
import { type Caller, QueueEntry } from "../http/fair-queue";
import { SingleFlight } from "../../single-flight";
import { withSignal } from "../../abort";
import { type HttpRequest, idsIn, versionHeaders } from "../http/request";
import type { Transport } from "../http/transport";
import { secretsOf } from "./credentials";
import type { TokenCache } from "./token-cache";
import { loopTurns } from "../../loop-turns";

/** Characters of a response that is parsed in a turn of its own; a day of records has more. */
const LARGE = 2 ** 15;

export interface GetOptions {
  /** Whether the request needs PC1 behavior, whatever the account's setting. */
  pc1?: boolean;
  /** Whether not to retry. */
  once?: boolean;
  /** Who makes the request. */
  caller?: Caller;
}

/** A response, and the token that it was requested with. */
class Answer {
  constructor(
    readonly response: HttpResponse,
    readonly turn: TokenTurn,
  ) {}
}

const SITE = /\/v1\/sites\/([^/?]+)/;

export class Session {
  readonly #settings: ConnectionSettings;
  readonly #transport: Transport;
  readonly #tokens: TokenCache;
  readonly #closing: AbortSignal;
  /** Identical requests in flight at the same time are made once. */
  readonly #answers = new SingleFlight<Answer>();
  readonly #entries = new Map<string, QueueEntry>();

  /** @param closing aborts when the client is closed */
  constructor(settings: ConnectionSettings, transport: Transport, tokens: TokenCache, closing: AbortSignal) {
    this.#closing = closing;
    this.#settings = settings;
    this.#transport = transport;
    this.#tokens = tokens;
  }

  /**
   * The JSON of a successful response.
   * @param what names the request in errors, e.g. `Telemetry of site S1`
   * @throws AuthError, HttpError, RateLimitError, ResponseError, and what Transport.send throws
   */
  async get(url: string, what: ErrorText, options: GetOptions, signal?: AbortSignal): Promise<Json> {
    const { once = false } = options;
    const used: string[] = [];
    let answer = await this.#send(url, options, signal);
    const { status } = answer.response;
    if (
      (status === 401 || status === 403) &&
      (await this.#tokens.isReplaced(answer.turn.token, status, signal ?? this.#closing, once))
    ) {
      used.push(...answer.turn.used);
      answer = await this.#send(url, options, signal);
    }
    const { response, turn } = answer;
    if (isSuccess(response)) {
      this.#tokens.accept(turn.token);
      if (response.text.length > LARGE) await loopTurns.next(signal ?? this.#closing);
      const size = sizeOfLongText(response, what);
      // Measuring a long text takes as long as parsing it.
      if (size) await loopTurns.next(signal ?? this.#closing);
      return jsonOf(response, what, size);
    }
    const secrets = secretsOf(this.#settings, [...used, ...turn.used, ...this.#tokens.issued()]);
    const ids = idsIn(url);
    const confidential = { secrets, ids };
    if (response.status === 401) {
      const key = this.#tokens.isAccepted(turn.token) ? "tokenRefusedHere" : "tokenRefused";
      throw new AuthError(errorText(key, { what }), errorDetails(response, confidential), "request");
    }
    const isPc1Off = pc1Mode(this.#settings) === "off" && options.pc1 !== true;
    throw statusError(response, what, { confidential, hasId: ids.length > 0, isPc1Off });
  }

  /** Sends a request, or waits for the response to the same one in flight. */
  #send(
    url: string,
    { pc1 = false, once = false, caller }: GetOptions,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const version = versionHeaders(this.#settings, pc1);
    const key = `${once} ${Object.values(version).join()} ${url}`;
    this.#entries.get(key)?.raise(caller);
    const work = async (abandoned: AbortSignal): Promise<Answer> => {
      const entry = new QueueEntry(caller, SITE.exec(url)?.[1] ?? "");
      this.#entries.set(key, entry);
      const turn = new TokenTurn(this.#tokens, once);
      const request = (): HttpRequest => {
        const headers = { ...version, Authorization: `Bearer ${turn.token}` };
        return { method: "GET", url, headers };
      };
      try {
        const response = await withSignal([abandoned, this.#closing], (either) =>
          this.#transport.send(request, either, { requirement: turn, once, entry }),
        );
        return new Answer(response, turn);
      } finally {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      }
    };
    return this.#answers.run(key, work, signal);
  }
}

/** The token of a request: the one that is valid when its turn comes, so that a long queue never sends an old one. */
class TokenTurn implements Requirement {
  readonly #tokens: TokenCache;
  readonly #once: boolean;
  /** The tokens of all attempts. */
  readonly used = new Set<string>();
  token = "";

  constructor(tokens: TokenCache, once: boolean) {
    this.#tokens = tokens;
    this.#once = once;
  }

  isMet(): boolean {
    const token = this.#tokens.current();
    if (token === undefined) return false;
    this.token = token;
    this.used.add(token);
    return true;
  }

  async meet(signal: AbortSignal): Promise<void> {
    await this.#tokens.get(signal, this.#once);
  }
}
