// Access tokens: one for the same credentials in the whole process, asked for once however many need it (service interface 5).
import type { ConnectionSettings } from "../connection";
import { credentialsKey } from "./credentials";
import { AbortedError, AuthError, errorText } from "../../errors";
import type { OpenCalls } from "../http/open-calls";
import { withServiceText } from "../http/status-error";
import { SharedFlight } from "./shared-flight";
import { requestToken, type Rejection } from "./token-request";
import type { Transport } from "../http/transport";

const LONGEST_MARGIN_SECONDS = 60;
const REJECTION_SECONDS = 60;
/** A token is doubted this often at the most: what it may not read, the next one may not read either. */
const DOUBT_SECONDS = 60;

/** What the process knows about one pair of credentials. Times are of performance.now, which no clock change moves. */
interface Entry {
  token?: { text: string; issuedAt: number; renewAt: number; wasAccepted: boolean };
  doubtedAt?: number;
  rejection?: Rejection["rejection"] & { until: number };
  flight?: SharedFlight;
}

/** Outlives the clients, so that a redeploy needs no new token. Keyed by a hash of the credentials. */
const entries = new Map<string, Entry>();

export class TokenSource {
  private readonly key: string;

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly transport: Transport,
    private readonly calls: OpenCalls,
  ) {
    this.key = credentialsKey(settings);
  }

  /**
   * A token that is good for a while.
   * @throws AuthError when the credentials are rejected, without a request for 60 s after that; what requestToken throws
   */
  async get(signal: AbortSignal): Promise<string> {
    for (;;) {
      const known = this.known();
      if (known !== undefined) return known;
      const entry = this.entry();
      const flight = (entry.flight ??= new SharedFlight((flightSignal) => this.fetch(entry, flightSignal)));
      try {
        await flight.join(signal);
      } catch (error) {
        // The client that asked was closed: whoever still waits asks anew.
        if (!(error instanceof AbortedError) || signal.aborted) throw error;
      }
    }
  }

  /** Ends the life of a token that the service no longer accepts, unless it has been replaced already. */
  drop(token: string): void {
    const current = entries.get(this.key)?.token;
    if (current?.text === token) current.renewAt = 0;
  }

  /** Notes that the service let the token in. */
  accept(token: string): void {
    const current = entries.get(this.key)?.token;
    if (current?.text === token) current.wasAccepted = true;
  }

  /** Whether another token may be let in where this one no longer is: it has been replaced, is old, or was let in before. */
  doubt(token: string): boolean {
    const entry = this.entry();
    if (entry.token?.text !== token) return true;
    const now = performance.now();
    const { issuedAt, wasAccepted } = entry.token;
    const since = wasAccepted ? (entry.doubtedAt ?? Number.NEGATIVE_INFINITY) : issuedAt;
    const isDoubted = now - since >= DOUBT_SECONDS * 1000;
    if (isDoubted) entry.doubtedAt = now;
    return isDoubted;
  }

  private known(): string | undefined {
    const now = performance.now();
    const { token, rejection } = entries.get(this.key) ?? {};
    if (token !== undefined && now < token.renewAt) return token.text;
    if (rejection !== undefined && now < rejection.until) throw rejectionError(rejection, now);
    return undefined;
  }

  private entry(): Entry {
    const entry = entries.get(this.key) ?? {};
    entries.set(this.key, entry);
    return entry;
  }

  private async fetch(entry: Entry, flightSignal: AbortSignal): Promise<void> {
    try {
      const outcome = await this.calls.run(flightSignal, (signal) =>
        requestToken(this.settings, this.transport, entry.token?.text, signal),
      );
      const now = performance.now();
      if ("rejection" in outcome) {
        entry.rejection = { ...outcome.rejection, until: now + REJECTION_SECONDS * 1000 };
      } else {
        const margin = Math.min(LONGEST_MARGIN_SECONDS, outcome.lifetimeSeconds / 10);
        const renewAt = now + (outcome.lifetimeSeconds - margin) * 1000;
        entry.token = { text: outcome.token, issuedAt: now, renewAt, wasAccepted: false };
      }
    } finally {
      delete entry.flight;
      prune();
    }
  }
}

/** Drops the entries of credentials that are no longer used. */
function prune(): void {
  const now = performance.now();
  for (const [key, { token, rejection, flight }] of entries) {
    const isUsed = flight !== undefined || now < (token?.renewAt ?? 0) || now < (rejection?.until ?? 0);
    if (!isUsed) entries.delete(key);
  }
}

function rejectionError(
  { until, ...details }: Rejection["rejection"] & { until: number },
  now: number,
): AuthError {
  const retryAfter = Math.ceil((until - now) / 1000);
  const text = errorText("credentialsRejected", { status: details.statusCode, seconds: retryAfter });
  return new AuthError(withServiceText(text, details), { ...details, retryAfter });
}
