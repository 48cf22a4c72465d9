// Caches access tokens for the whole process: one per credentials, requested once for all clients (service interface 5).
import { AbortedError, AuthError, errorText } from "../../errors";
import { waitFor, withSignal } from "../../waiting";
import type { ConnectionSettings } from "../connection";
import { withServiceText } from "../http/response";
import type { Transport } from "../http/transport";
import { credentialsKey, type Rejection, requestToken, routeKey } from "./credentials";

const MAX_MARGIN_SECONDS = 60;
const REJECTION_SECONDS = 60;
/** The least time between renewals after a 403, which a new token rarely fixes. */
const REPLACE_INTERVAL_SECONDS = 60;

/** State for one pair of credentials. Times are from performance.now, which clock changes do not affect. */
interface Entry {
  token?: { text: string; issuedAt: number; renewAt: number; wasAccepted: boolean };
  replacedAt?: number;
  rejection?: Rejection & { until: number };
  /** Requests in flight by route, so that no client waits for a route that fails when its own would not. */
  requests: Map<string, SharedRequest>;
}

/** Keyed by a hash of the credentials. Outlives the clients, so that a redeploy needs no new token. */
const entries = new Map<string, Entry>();

/** One client's access to the tokens shared by all clients with the same credentials. */
export class TokenCache {
  readonly #settings: ConnectionSettings;
  readonly #transport: Transport;
  readonly #closing: AbortSignal;
  readonly #key: string;
  readonly #route: string;

  /** @param closing aborts when the client is closed */
  constructor(settings: ConnectionSettings, transport: Transport, closing: AbortSignal) {
    this.#settings = settings;
    this.#transport = transport;
    this.#closing = closing;
    this.#key = credentialsKey(settings);
    this.#route = routeKey(settings);
  }

  /**
   * A token that does not expire soon.
   * @throws AuthError if the credentials are rejected, or were within the last 60 s; what requestToken throws
   */
  async get(signal: AbortSignal): Promise<string> {
    for (;;) {
      const known = this.#known();
      if (known !== undefined) return known;
      const { requests } = this.#entry();
      const request = requests.get(this.#route) ?? this.#startRequest();
      try {
        await request.wait(signal);
      } catch (error) {
        // The client that sent the request was closed, so try again with a request of our own.
        if (!(error instanceof AbortedError) || signal.aborted) throw error;
      }
    }
  }

  /** Discards a token that the service rejected, unless it has already been replaced. */
  drop(token: string): void {
    const current = entries.get(this.#key)?.token;
    if (current?.text === token) current.renewAt = 0;
  }

  /** Records that the service accepted the token. */
  accept(token: string): void {
    const current = entries.get(this.#key)?.token;
    if (current?.text === token) current.wasAccepted = true;
  }

  /** Whether to retry with another token, because this one was replaced, is old, or was accepted before. */
  shouldReplace(token: string): boolean {
    const entry = this.#entry();
    if (entry.token?.text !== token) return true;
    const now = performance.now();
    const { issuedAt, wasAccepted } = entry.token;
    const since = wasAccepted ? (entry.replacedAt ?? Number.NEGATIVE_INFINITY) : issuedAt;
    const isDue = now - since >= REPLACE_INTERVAL_SECONDS * 1000;
    if (isDue) entry.replacedAt = now;
    return isDue;
  }

  #known(): string | undefined {
    const now = performance.now();
    const { token, rejection } = entries.get(this.#key) ?? {};
    if (token !== undefined && now < token.renewAt) return token.text;
    if (rejection !== undefined && now < rejection.until) throw rejectionError(rejection, now);
    return undefined;
  }

  #entry(): Entry {
    const entry = entries.get(this.#key) ?? { requests: new Map<string, SharedRequest>() };
    entries.set(this.#key, entry);
    return entry;
  }

  #startRequest(): SharedRequest {
    const entry = this.#entry();
    const request: SharedRequest = new SharedRequest(async (signal) => {
      try {
        await withSignal([signal, this.#closing], (combined) => this.#request(entry, combined));
      } finally {
        if (entry.requests.get(this.#route) === request) entry.requests.delete(this.#route);
        prune();
      }
    });
    entry.requests.set(this.#route, request);
    return request;
  }

  async #request(entry: Entry, signal: AbortSignal): Promise<void> {
    const outcome = await requestToken(this.#settings, this.#transport, entry.token?.text, signal);
    const now = performance.now();
    if ("rejection" in outcome) {
      entry.rejection = { ...outcome.rejection, until: now + REJECTION_SECONDS * 1000 };
      return;
    }
    const margin = Math.min(MAX_MARGIN_SECONDS, outcome.lifetimeSeconds / 10);
    const renewAt = now + (outcome.lifetimeSeconds - margin) * 1000;
    entry.token = { text: outcome.token, issuedAt: now, renewAt, wasAccepted: false };
  }
}

/** A token request that several callers wait for; aborted once none is left. */
class SharedRequest {
  readonly #result: Promise<void>;
  readonly #abandoned = new AbortController();
  #waiting = 0;

  constructor(work: (signal: AbortSignal) => Promise<void>) {
    // Deferred, so that others can find the request before it starts.
    this.#result = Promise.resolve().then(() => work(this.#abandoned.signal));
    this.#result.catch(() => undefined);
  }

  /** Settles with the request, or rejects with AbortedError if the signal or the request aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    this.#waiting++;
    try {
      await waitFor(this.#result, signal);
    } finally {
      this.#waiting--;
      if (this.#waiting === 0) this.#abandoned.abort();
    }
  }
}

/** Removes the entries of credentials no longer in use. */
function prune(): void {
  const now = performance.now();
  for (const [key, { token, rejection, requests }] of entries) {
    const isUsed = requests.size > 0 || now < (token?.renewAt ?? 0) || now < (rejection?.until ?? 0);
    if (!isUsed) entries.delete(key);
  }
}

function rejectionError({ until, ...details }: Rejection & { until: number }, now: number): AuthError {
  const retryAfter = Math.ceil((until - now) / 1000);
  const text = errorText("credentialsRejected", { status: details.statusCode, seconds: retryAfter });
  return new AuthError(withServiceText(text, details), { ...details, retryAfter });
}
