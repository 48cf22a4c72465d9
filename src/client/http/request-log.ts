// Tells how the last requests of an account went, for a report.
import { systemClock } from "../../clock";
import { AbortedError, EnergyError, type ErrorCode, type ErrorText } from "../../errors";
import type { HttpRequest } from "./request";

/** One attempt of a request. */
export interface RequestEntry {
  /** Such as `Telemetry of site S1`. */
  readonly what: ErrorText;
  /** When it started, in milliseconds by the local clock. */
  readonly at: number;
  /** Milliseconds until the whole response was there, or the attempt failed. */
  readonly duration: number;
  /** 1 for the first attempt; a retry has a higher number. */
  readonly attempt: number;
  /** HTTP status, or why there is none. */
  readonly outcome: number | ErrorCode | "aborted";
}

/** How many attempts are remembered. */
const SIZE = 20;

export class RequestLog {
  readonly #last: RequestEntry[] = [];
  /** When the last successful request started, in milliseconds by the local clock. */
  lastSuccess: number | undefined;

  /** The last attempts, oldest first. */
  get entries(): readonly RequestEntry[] {
    return [...this.#last];
  }

  /**
   * Notes an attempt that begins. Call the returned function with its status, or with what it has thrown.
   * @param attempt 1 for the first one
   */
  begin({ what }: HttpRequest, attempt: number): (ended: unknown) => void {
    const at = systemClock.now();
    const startedAt = performance.now();
    return (ended) => {
      const duration = performance.now() - startedAt;
      this.#last.push({ what, at, duration, attempt, outcome: outcomeOf(ended) });
      if (this.#last.length > SIZE) this.#last.shift();
      if (typeof ended === "number" && ended >= 200 && ended < 300) this.lastSuccess = at;
    };
  }
}

function outcomeOf(ended: unknown): RequestEntry["outcome"] {
  if (typeof ended === "number") return ended;
  if (ended instanceof AbortedError) return "aborted";
  return ended instanceof EnergyError ? ended.code : "ENERGY_INTERNAL";
}
