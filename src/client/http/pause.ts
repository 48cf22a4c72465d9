// A pause that the service asked for, and the one request that probes afterwards whether it accepts requests again.
import { type EnergyError, errorText, HttpError, RateLimitError } from "../../errors";
import { MAX_WAIT_SECONDS } from "./retry";

/** Times are in milliseconds from performance.now, which clock changes do not affect. */
interface Span {
  until: number;
  seconds: number;
  statusCode: number;
  /** Settles when the probing request has ended. */
  probe?: Promise<void>;
}

export class Pause {
  /** Kept after its end until a probe has succeeded. */
  #span: Span | undefined;

  /** Of several pauses, the one that ends last applies. */
  begin(seconds: number, statusCode: number): void {
    const until = performance.now() + seconds * 1000;
    if (seconds > 0 && (this.#span?.until ?? 0) < until) this.#span = { until, seconds, statusCode };
  }

  /** Repeats a pause that has ended if no probe has succeeded since. Returns whether it did. */
  beginAgain(): boolean {
    if (this.#span === undefined || this.waitMs(performance.now()) > 0) return false;
    this.begin(this.#span.seconds, this.#span.statusCode);
    return true;
  }

  /** Milliseconds until its end. */
  waitMs(now: number): number {
    return this.#span === undefined ? 0 : this.#span.until - now;
  }

  /** Milliseconds until its end, and the status of the response that asked for it; undefined if there is none. */
  remaining(now: number): { remaining: number; status: number } | undefined {
    const remaining = this.waitMs(now);
    return this.#span && remaining > 0 ? { remaining, status: this.#span.statusCode } : undefined;
  }

  /** Settles when the probing request has ended; undefined if there is none. Never rejects. */
  get probe(): Promise<void> | undefined {
    return this.#span?.probe;
  }

  /**
   * Must be called when a request starts. After a pause, that request is the probe, and the returned function must be called when it
   * has ended. If it was aborted, the next request is the probe. If it was refused, another pause has begun by then.
   */
  startProbe(): ((isAborted: boolean) => void) | undefined {
    const span = this.#span;
    if (span === undefined) return undefined;
    let settle = (): void => undefined;
    span.probe = new Promise((resolve) => (settle = resolve));
    return (isAborted) => {
      delete span.probe;
      if (this.#span === span && !isAborted) this.#span = undefined;
      settle();
    };
  }

  /** RateLimitError or HttpError during a pause of more than a minute; requests wait for the end of a shorter one. */
  refusal(): EnergyError | undefined {
    if (this.#span === undefined || this.#span.seconds <= MAX_WAIT_SECONDS) return undefined;
    const { statusCode } = this.#span;
    const retryAfter = Math.ceil(this.waitMs(performance.now()) / 1000);
    if (retryAfter <= 0) return undefined;
    const text = errorText("held", { seconds: retryAfter });
    if (statusCode === 429) return new RateLimitError(text, { statusCode, retryAfter });
    return new HttpError(text, { statusCode, retryAfter });
  }
}
