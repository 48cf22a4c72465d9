// The pace of requests: the account's rate limit, and a longer spacing while the service responds with 429.
import { MINUTE } from "../../time-units";

/** The least time between two requests once the service has refused one. */
const FIRST_SPACING_MS = 500;
const MAX_SPACING_MS = 30_000;
/** Each success multiplies the spacing by this, until it is negligible. */
const RECOVERY = 0.9;
const NEGLIGIBLE_SPACING_MS = 100;

/** Times are in milliseconds from performance.now, which clock changes do not affect. */
export class Pace {
  readonly #requestsPerMinute: number;
  /** When the last `requestsPerMinute` requests started, oldest first. */
  readonly #starts: number[] = [];
  #lastStart = Number.NEGATIVE_INFINITY;
  #spacingMs = 0;
  #slowedAt = Number.NEGATIVE_INFINITY;

  /** @param requestsPerMinute 0 = no limit */
  constructor(requestsPerMinute: number) {
    this.#requestsPerMinute = requestsPerMinute;
  }

  /** Milliseconds until another request may start. */
  waitMs(now: number): number {
    const spaced = this.#spacingMs === 0 ? 0 : this.#lastStart + this.#spacingMs - now;
    return Math.max(this.#limitMs(now), spaced);
  }

  /** Milliseconds between two requests because of 429 responses; 0 = none. */
  get spacing(): number {
    return this.#spacingMs;
  }

  /** Whether requests cannot be spaced any further. */
  get isSlowest(): boolean {
    return this.#spacingMs === MAX_SPACING_MS;
  }

  /** Notes that a request starts. */
  start(now: number): void {
    this.#lastStart = now;
    if (this.#requestsPerMinute > 0) this.#starts.push(now);
  }

  /**
   * Doubles the time between requests.
   * @param startedAt when the refused request started: those that were in flight together slow down the account once
   */
  slowDown(startedAt: number): void {
    if (startedAt < this.#slowedAt) return;
    this.#slowedAt = performance.now();
    this.#spacingMs = Math.min(Math.max(this.#spacingMs * 2, FIRST_SPACING_MS), MAX_SPACING_MS);
  }

  /** Shortens the time between requests after one that succeeded. */
  recover(): void {
    this.#spacingMs *= RECOVERY;
    if (this.#spacingMs < NEGLIGIBLE_SPACING_MS) this.#spacingMs = 0;
  }

  #limitMs(now: number): number {
    if (this.#requestsPerMinute === 0) return 0;
    while (this.#starts[0] !== undefined && now - this.#starts[0] >= MINUTE) this.#starts.shift();
    const oldest = this.#starts[0];
    const isWithinLimit = oldest === undefined || this.#starts.length < this.#requestsPerMinute;
    return isWithinLimit ? 0 : oldest + MINUTE - now;
  }
}
