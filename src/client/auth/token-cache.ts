// Access tokens: one for the same credentials in the whole process, requested once however many need it (service interface 5).
import { AbortedError, AuthError, errorText } from "../../errors";
import { waitFor, withSignal } from "../../waiting";
import type { ConnectionSettings } from "../connection";
import { withServiceText } from "../http/response";
import type { Transport } from "../http/transport";
import { credentialsKey, type Rejection, requestToken, routeKey } from "./credentials";

const LONGEST_MARGIN_SECONDS = 60;
const REJECTION_SECONDS = 60;
/** A token is doubted no more often than this: what it may not read, its successor may not read either. */
const DOUBT_SECONDS = 60;

/** What the process knows of one pair of credentials. Times are of performance.now, which no clock change moves. */
interface Entry {
  token?: { text: string; issuedAt: number; renewAt: number; wasAccepted: boolean };
  doubtedAt?: number;
  rejection?: Rejection & { until: number };
  /** Requests under way, one for each route: nobody waits for a route that fails while their own would not. */
  flights: Map<string, Flight>;
}

/** Outlives the clients, so that a redeploy needs no new token. Keyed by a hash of the credentials. */
const entries = new Map<string, Entry>();

/** The view of one client on the tokens that all clients of its credentials share. */
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
   * A token that is valid for a while longer.
   * @throws AuthError when the credentials are rejected, and for 60 s after that without a request; what requestToken throws
   */
  async get(signal: AbortSignal): Promise<string> {
    for (;;) {
      const known = this.#known();
      if (known !== undefined) return known;
      const { flights } = this.#entry();
      const flight = flights.get(this.#route) ?? this.#depart();
      try {
        await flight.join(signal);
      } catch (error) {
        // The client whose request it was has been closed: whoever still waits requests the token anew.
        if (!(error instanceof AbortedError) || signal.aborted) throw error;
      }
    }
  }

  /** Ends the life of a token that the service no longer accepts, unless it has already been replaced. */
  drop(token: string): void {
    const current = entries.get(this.#key)?.token;
    if (current?.text === token) current.renewAt = 0;
  }

  /** Records that the service accepted the token. */
  accept(token: string): void {
    const current = entries.get(this.#key)?.token;
    if (current?.text === token) current.wasAccepted = true;
  }

  /** Whether another token may succeed where this one failed: it has been replaced, is old, or was accepted before. */
  doubt(token: string): boolean {
    const entry = this.#entry();
    if (entry.token?.text !== token) return true;
    const now = performance.now();
    const { issuedAt, wasAccepted } = entry.token;
    const since = wasAccepted ? (entry.doubtedAt ?? Number.NEGATIVE_INFINITY) : issuedAt;
    const isDoubted = now - since >= DOUBT_SECONDS * 1000;
    if (isDoubted) entry.doubtedAt = now;
    return isDoubted;
  }

  #known(): string | undefined {
    const now = performance.now();
    const { token, rejection } = entries.get(this.#key) ?? {};
    if (token !== undefined && now < token.renewAt) return token.text;
    if (rejection !== undefined && now < rejection.until) throw rejectionError(rejection, now);
    return undefined;
  }

  #entry(): Entry {
    const entry = entries.get(this.#key) ?? { flights: new Map<string, Flight>() };
    entries.set(this.#key, entry);
    return entry;
  }

  #depart(): Flight {
    const entry = this.#entry();
    const flight: Flight = new Flight(async (signal) => {
      try {
        await withSignal([signal, this.#closing], (joint) => this.#request(entry, joint));
      } finally {
        if (entry.flights.get(this.#route) === flight) entry.flights.delete(this.#route);
        prune();
      }
    });
    entry.flights.set(this.#route, flight);
    return flight;
  }

  async #request(entry: Entry, signal: AbortSignal): Promise<void> {
    const outcome = await requestToken(this.#settings, this.#transport, entry.token?.text, signal);
    const now = performance.now();
    if ("rejection" in outcome) {
      entry.rejection = { ...outcome.rejection, until: now + REJECTION_SECONDS * 1000 };
      return;
    }
    const margin = Math.min(LONGEST_MARGIN_SECONDS, outcome.lifetimeSeconds / 10);
    const renewAt = now + (outcome.lifetimeSeconds - margin) * 1000;
    entry.token = { text: outcome.token, issuedAt: now, renewAt, wasAccepted: false };
  }
}

/** A token request that several callers wait for. It is aborted once nobody waits any longer. */
class Flight {
  readonly #arrival: Promise<void>;
  readonly #abandoned = new AbortController();
  #waiting = 0;

  constructor(work: (signal: AbortSignal) => Promise<void>) {
    // The request starts once the flight is known to others.
    this.#arrival = Promise.resolve().then(() => work(this.#abandoned.signal));
    this.#arrival.catch(() => undefined);
  }

  /** Settles with the request, or rejects with AbortedError when the signal aborts or the request was aborted. */
  async join(signal: AbortSignal): Promise<void> {
    this.#waiting++;
    try {
      await waitFor(this.#arrival, signal);
    } finally {
      this.#waiting--;
      if (this.#waiting === 0) this.#abandoned.abort();
    }
  }
}

/** Removes the entries of credentials that are no longer used. */
function prune(): void {
  const now = performance.now();
  for (const [key, { token, rejection, flights }] of entries) {
    const isUsed = flights.size > 0 || now < (token?.renewAt ?? 0) || now < (rejection?.until ?? 0);
    if (!isUsed) entries.delete(key);
  }
}

function rejectionError({ until, ...details }: Rejection & { until: number }, now: number): AuthError {
  const retryAfter = Math.ceil((until - now) / 1000);
  const text = errorText("credentialsRejected", { status: details.statusCode, seconds: retryAfter });
  return new AuthError(withServiceText(text, details), { ...details, retryAfter });
}
