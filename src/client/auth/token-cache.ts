// Caches access tokens for the whole process: one per credentials and way to the service, requested once for all clients that share
// both (service interface 5).
import { setNewest } from "../../bounded-map";
import { digestOf } from "../../canonical-json";
import { AuthError, EnergyError, type ErrorDetails, errorText, HttpError, ResponseError } from "../../errors";
import { MAX_SHORT_ANSWER_BYTES } from "../../limits";
import { parseAccessToken } from "../../models/responses";
import { SingleFlight } from "../../single-flight";
import type { ConnectionSettings } from "../connection";
import { endpointUrl, versionHeaders } from "../http/request";
import { errorDetails, isHtml, isSuccess, jsonOf, statusError } from "../http/response";
import type { Transport } from "../http/transport";

/** Used if the response has no `expires_in` of at least a second (service interface 8). */
const DEFAULT_LIFETIME_SECONDS = 3600;
const MAX_MARGIN_SECONDS = 60;
/** Statuses that mean that the credentials are wrong. */
const REJECTIONS: readonly number[] = [400, 401, 403];
/** Statuses that mean that there is no login at this URL. */
const NO_LOGIN: readonly number[] = [404, 405, 501];
/**
 * The least time to the next token request after a response that is no token, and between renewals of tokens that should still be
 * valid: a site that never accepts one must not cost more.
 */
const PAUSE_SECONDS = 60;

/** Times are from performance.now, which clock changes do not affect. */
export interface Token {
  readonly text: string;
  readonly issuedAt: number;
  readonly renewAt: number;
  /** Whether the service has accepted it for a request. */
  wasAccepted: boolean;
}

/** State for one pair of credentials and one way to the service. */
interface Entry {
  token?: Token;
  /** The texts of the last tokens, newest first. */
  issued: string[];
  /** When a token was last renewed because a request was refused, although it should have been valid. */
  doubtedAt?: number;
  /** Why no token is requested for a while: rejected credentials, or a response that is no token. */
  failure?: { error: EnergyError; until: number } | undefined;
  /** The request in flight, and that of a guest. */
  requests: SingleFlight<void>;
}

const MAX_ENTRIES = 1000;
/** A response may still come to a request with an earlier token. */
const MAX_ISSUED = 5;

/** Outlives the clients, so that a redeploy needs no new token. */
const entries = new Map<string, Entry>();

/** One client's access to the tokens shared by all clients with the same credentials. */
export class TokenCache {
  readonly #settings: ConnectionSettings;
  readonly #transport: Transport;
  readonly #entry: Entry;

  constructor(settings: ConnectionSettings, transport: Transport) {
    this.#settings = settings;
    this.#transport = transport;
    const { baseUrl, clientId, clientSecret, proxy, tls, timeoutSeconds } = settings;
    // No client waits for a way that fails when its own would not, nor sends a token from an unverified server to another one.
    const key = digestOf([baseUrl, clientId, clientSecret, proxy, tls, timeoutSeconds]);
    this.#entry = entries.get(key) ?? { issued: [], requests: new SingleFlight() };
    setNewest(entries, key, this.#entry, MAX_ENTRIES);
  }

  /** A token that does not expire soon, or undefined: then `renew` requests one. */
  current(): Token | undefined {
    const { token } = this.#entry;
    return token && performance.now() < token.renewAt ? token : undefined;
  }

  /** What no error may show, in any encoding: the secret, the content of the Basic header, and tokens. */
  get secrets(): string[] {
    return [basicCredentials(this.#settings), this.#settings.clientSecret, ...this.#entry.issued];
  }

  /** Of the token that was issued last, in milliseconds; undefined before there is one. */
  get state() {
    const { token } = this.#entry;
    const now = performance.now();
    return (
      token && {
        age: now - token.issuedAt,
        /** Until it is renewed, shortly before it expires; negative if that is due. */
        remaining: token.renewAt - now,
        wasAccepted: token.wasAccepted,
      }
    );
  }

  /**
   * After a request was refused: whether there is another token to repeat it with. Requests one if the refused token may be bad;
   * meanwhile, other requests continue to use it.
   * @throws AuthError if the credentials are rejected, or were within the last 60 s; what Transport.send throws
   */
  async isReplaced(token: Token | undefined, signal: AbortSignal): Promise<boolean> {
    const entry = this.#entry;
    if (entry.token !== token) return true;
    throwIfFailed(entry.failure);
    if (entry.requests.isIdle) {
      const now = performance.now();
      if (now - (entry.doubtedAt ?? -Infinity) < PAUSE_SECONDS * 1000) return false;
      entry.doubtedAt = now;
    }
    await this.renew(signal);
    return entry.token !== token;
  }

  /**
   * Sends a token request, or waits for the one in flight.
   * @throws AuthError if the credentials are rejected; HttpError, RateLimitError or ResponseError if the response is no token either;
   * without a request, what another one would throw again within 60 s; what Transport.send throws
   */
  async renew(signal: AbortSignal): Promise<void> {
    throwIfFailed(this.#entry.failure);
    // A guest does not wait for the retries of others, and its failure is not theirs.
    const flight = this.#transport.isGuest ? "guest" : "";
    await this.#entry.requests.run(flight, (own) => this.#request(own), signal);
  }

  async #request(signal: AbortSignal): Promise<void> {
    const entry = this.#entry;
    try {
      const { text, seconds: given } = await this.#issued(signal);
      const now = performance.now();
      const seconds = given !== null && given >= 1 ? given : DEFAULT_LIFETIME_SECONDS;
      const renewAt = now + (seconds - Math.min(MAX_MARGIN_SECONDS, seconds / 10)) * 1000;
      entry.issued = [text, ...entry.issued].slice(0, MAX_ISSUED);
      entry.token = { text, issuedAt: now, renewAt, wasAccepted: false };
      entry.failure = undefined;
    } catch (error) {
      if (isFinal(error)) {
        error.isOfAccount = true;
        entry.failure = { error, until: performance.now() + PAUSE_SECONDS * 1000 };
      }
      throw error;
    }
  }

  /** POST /v1/auth with a Basic header and no body. */
  async #issued(signal: AbortSignal): Promise<ReturnType<typeof parseAccessToken>> {
    const what = errorText("whatToken");
    const url = endpointUrl(this.#settings.baseUrl, ["v1", "auth"]);
    const Authorization = `Basic ${basicCredentials(this.#settings)}`;
    const headers = { ...versionHeaders(this.#settings, false), Authorization };
    const request = { what, method: "POST", url, headers, maxBytes: MAX_SHORT_ANSWER_BYTES } as const;
    // Urgent, because every request waits for the token.
    const response = await this.#transport.send(() => request, signal, { isUrgent: true });
    // Without the service's own message: it may hold a token that is not known here.
    const details = errorDetails(response);
    if (REJECTIONS.includes(response.status)) throw rejected(details, PAUSE_SECONDS);
    if (NO_LOGIN.includes(response.status)) throw new HttpError(errorText("noLogin"), details);
    if (!isSuccess(response.status)) throw statusError(response, what);
    if (isHtml(response)) throw new ResponseError(errorText("noLogin"), details);
    return parseAccessToken(jsonOf(response, what).body);
  }
}

function throwIfFailed(failure: Entry["failure"]): void {
  const seconds = Math.ceil(((failure?.until ?? 0) - performance.now()) / 1000);
  if (!failure || seconds <= 0) return;
  throw failure.error instanceof AuthError ? rejected(failure.error.details, seconds) : failure.error;
}

/** Whether the next token request would get the same response. */
function isFinal(error: unknown): error is EnergyError {
  if (error instanceof HttpError) return (error.details.statusCode ?? 500) < 500;
  return error instanceof AuthError || error instanceof ResponseError;
}

/** @param seconds until the credentials are sent again */
function rejected(details: ErrorDetails, seconds: number): AuthError {
  const text = errorText("credentialsRejected", { status: details.statusCode ?? 0, seconds });
  const error = new AuthError(text, { ...details, retryAfter: seconds });
  error.isOfAccount = true;
  return error;
}

/** The Basic header without its scheme (service interface 5 rule 2). */
function basicCredentials({ clientId, clientSecret }: ConnectionSettings): string {
  return Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
}
