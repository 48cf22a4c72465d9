// Caches access tokens for the whole process: one per credentials, requested once for all clients (service interface 5).
import { AuthError, errorText, ResponseError } from "../../errors";
import type { ConnectionSettings } from "../connection";
import type { Transport } from "../http/transport";
import { credentialsKey, type Rejection, requestToken, routeKey } from "./credentials";
import { SingleFlight } from "../../single-flight";

const MAX_MARGIN_SECONDS = 60;
/** How long no token is requested after credentials were rejected, or a response could not be read. */
const FAILURE_SECONDS = 60;
/** The least time between renewals of tokens that should still be valid: a site that never accepts one must not cost more. */
const DOUBT_INTERVAL_SECONDS = 60;

/** State for one pair of credentials. Times are from performance.now, which clock changes do not affect. */
interface Entry {
  token?: { text: string; issuedAt: number; renewAt: number; wasAccepted: boolean };
  /** When a token was last renewed because a request was refused, although it should have been valid. */
  doubtedAt?: number;
  rejection?: (Rejection & { until: number }) | undefined;
  /** How the last response could not be read, by the route that it came on: perhaps from a proxy. */
  unreadable?: { error: ResponseError; route: string; until: number } | undefined;
  /** Requests in flight by route and whether they are retried: no client waits for a route that fails when its own would not. */
  requests: SingleFlight<void>;
}

/** The state of the token without the token itself. All in milliseconds. */
export interface TokenState {
  readonly token?: {
    /** Since it was issued. */
    readonly age: number;
    /** Until it is renewed, shortly before it expires; negative if that is due. */
    readonly remaining: number;
    /** Whether the service has accepted it for a request. */
    readonly wasAccepted: boolean;
  };
  /** How the service rejected the credentials, and until when no other attempt is made. */
  readonly rejection?: { readonly status: number; readonly remaining: number };
}

/** Keyed by a hash of the credentials. Outlives the clients, so that a redeploy needs no new token. */
const entries = new Map<string, Entry>();

/** One client's access to the tokens shared by all clients with the same credentials. */
export class TokenCache {
  readonly #settings: ConnectionSettings;
  readonly #transport: Transport;
  readonly #key: string;
  readonly #route: string;

  constructor(settings: ConnectionSettings, transport: Transport) {
    this.#settings = settings;
    this.#transport = transport;
    this.#key = credentialsKey(settings);
    this.#route = routeKey(settings);
  }

  /**
   * A token that does not expire soon, or undefined: then `renew` requests one.
   * @throws AuthError if there is none, and the credentials were rejected within the last 60 s; ResponseError if the response to
   * them could not be read
   */
  current(): string | undefined {
    const now = performance.now();
    const { token, rejection, unreadable } = entries.get(this.#key) ?? {};
    if (token !== undefined && now < token.renewAt) return token.text;
    throwIfRejected(rejection, now);
    if (unreadable?.route === this.#route && now < unreadable.until) throw unreadable.error;
    return undefined;
  }

  /** The token that was issued last, if any, whether or not it is still valid. */
  issued(): string[] {
    const token = entries.get(this.#key)?.token;
    return token === undefined ? [] : [token.text];
  }

  /** What is known of the token, and of a rejection that still applies. */
  get state(): TokenState {
    const now = performance.now();
    const { token, rejection } = entries.get(this.#key) ?? {};
    const isRejected = rejection !== undefined && now < rejection.until;
    return {
      ...(token && {
        token: { age: now - token.issuedAt, remaining: token.renewAt - now, wasAccepted: token.wasAccepted },
      }),
      ...(isRejected && {
        rejection: { status: rejection.statusCode, remaining: rejection.until - now },
      }),
    };
  }

  /** Records that the service accepted the token. */
  accept(token: string): void {
    const current = entries.get(this.#key)?.token;
    if (current?.text === token) current.wasAccepted = true;
  }

  /** Whether the service has accepted the token for a request. */
  isAccepted(token: string): boolean {
    const current = entries.get(this.#key)?.token;
    return current?.text === token && current.wasAccepted;
  }

  /**
   * After a request was refused: whether there is another token to repeat it with. Requests one if the refused token may be bad;
   * meanwhile, other requests continue to use it. 401 means that it is, unless the service accepts it elsewhere. 403 may mean the
   * same, because the interface specifies no status (service interface 7), but not of a new token.
   * @param once whether a token request is not retried
   * @throws AuthError if the credentials are rejected, or were within the last 60 s; what requestToken throws
   */
  async isReplaced(token: string, status: number, signal: AbortSignal, once: boolean): Promise<boolean> {
    const entry = this.#entry();
    const wasRenewed = entry.token?.text !== token;
    if (wasRenewed) return true;
    throwIfRejected(entry.rejection, performance.now());
    const isBeingRenewed = !entry.requests.isIdle;
    if (!isBeingRenewed) {
      if (!isDoubtDue(entry, status)) return false;
      entry.doubtedAt = performance.now();
    }
    await this.renew(signal, once);
    throwIfRejected(entry.rejection, performance.now());
    return entry.token?.text !== token;
  }

  /** A new one takes the place of those no longer in use. */
  #entry(): Entry {
    const known = entries.get(this.#key);
    if (known) return known;
    prune();
    const entry: Entry = { requests: new SingleFlight() };
    entries.set(this.#key, entry);
    return entry;
  }

  /**
   * Sends a token request, or waits for the one in flight.
   * @param once whether a token request is not retried
   * @throws what requestToken throws; rejected credentials are remembered instead
   */
  async renew(signal: AbortSignal, once: boolean): Promise<void> {
    // Who tries once does not wait for the retries of others, nor fails those who retry.
    const key = once ? `${this.#route} once` : this.#route;
    const entry = this.#entry();
    await entry.requests.run(key, (own) => this.#request(entry, own, once), signal);
  }

  async #request(entry: Entry, signal: AbortSignal, once: boolean): Promise<void> {
    const outcome = await requestToken(this.#settings, this.#transport, signal, once).catch(
      (error: unknown) => {
        if (error instanceof ResponseError) {
          const until = performance.now() + FAILURE_SECONDS * 1000;
          entry.unreadable = { error, route: this.#route, until };
        }
        throw error;
      },
    );
    const now = performance.now();
    entry.unreadable = undefined;
    if ("rejection" in outcome) {
      entry.rejection = { ...outcome.rejection, until: now + FAILURE_SECONDS * 1000 };
      return;
    }
    const margin = Math.min(MAX_MARGIN_SECONDS, outcome.lifetimeSeconds / 10);
    const renewAt = now + (outcome.lifetimeSeconds - margin) * 1000;
    entry.token = { text: outcome.token, issuedAt: now, renewAt, wasAccepted: false };
    entry.rejection = undefined;
  }
}

/** Removes the entries of credentials no longer in use. */
function prune(): void {
  const now = performance.now();
  for (const [key, { token, rejection, unreadable, requests }] of entries) {
    const until = Math.max(token?.renewAt ?? 0, rejection?.until ?? 0, unreadable?.until ?? 0);
    if (requests.isIdle && now >= until) entries.delete(key);
  }
}

/** Whether a token that should be valid may be renewed because a request was refused. */
function isDoubtDue({ token, doubtedAt }: Entry, status: number): boolean {
  const isNew = status === 403 && token?.wasAccepted === false;
  const since = Math.max(doubtedAt ?? -Infinity, isNew ? token.issuedAt : -Infinity);
  return performance.now() - since >= DOUBT_INTERVAL_SECONDS * 1000;
}

function throwIfRejected(rejection: Entry["rejection"], now: number): void {
  if (rejection === undefined || now >= rejection.until) return;
  const { until, ...details } = rejection;
  const retryAfter = Math.ceil((until - now) / 1000);
  const text = errorText("credentialsRejected", { status: details.statusCode, seconds: retryAfter });
  throw new AuthError(text, { ...details, retryAfter }, "account");
}
