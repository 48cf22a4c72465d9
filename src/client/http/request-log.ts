// Tells how the last requests of an account went, without ids: for a report that people may publish.
import { systemClock } from "../../clock";
import { AbortedError, EnergyError, type ErrorCode } from "../../errors";
import type { HttpRequest } from "./request";

/** One attempt of a request. */
export interface RequestEntry {
  readonly method: HttpRequest["method"];
  /** Such as `/v1/sites/{siteId}/telemetry`: contains no id. */
  readonly path: string;
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

/** The segments that every account has in its paths. Anything else may identify someone. */
const KNOWN_SEGMENTS: ReadonlySet<string> = new Set([
  "v1",
  "auth",
  "sites",
  "telemetry",
  "rgm-telemetry",
  "alerts",
]);

export class RequestLog {
  readonly #last: (Omit<RequestEntry, "path"> & { readonly url: string })[] = [];
  /** When the last successful request started, in milliseconds by the local clock. */
  lastSuccess: number | undefined;

  /** The last attempts, oldest first. Their ids are left out when someone reads them, not for each request. */
  get entries(): readonly RequestEntry[] {
    return this.#last.map(({ url, ...entry }) => ({ ...entry, path: pathPattern(url) }));
  }

  /**
   * Notes an attempt that begins. Call the returned function with its status, or with what it has thrown.
   * @param attempt 1 for the first one
   */
  begin({ method, url }: HttpRequest, attempt: number): (ended: number | Error) => void {
    const at = systemClock.now();
    const startedAt = performance.now();
    return (ended) => {
      const duration = performance.now() - startedAt;
      const outcome = typeof ended === "number" ? ended : failureOf(ended);
      this.#last.push({ method, url, at, duration, attempt, outcome });
      if (this.#last.length > SIZE) this.#last.shift();
      if (typeof outcome === "number" && outcome >= 200 && outcome < 300) this.lastSuccess = at;
    };
  }
}

/** The path of a URL with every segment that is not a known word replaced. */
export function pathPattern(url: string): string {
  const path = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? "";
  let follows = "";
  const segments = path.split("/").map((segment) => {
    // An id may be a known word, but never follows one that is not `sites`.
    const isId = follows === "sites";
    follows = isId ? "" : segment;
    if (isId && segment !== "") return "{siteId}";
    return segment === "" || KNOWN_SEGMENTS.has(segment) ? segment : "{…}";
  });
  return segments.join("/");
}

function failureOf(error: Error): ErrorCode | "aborted" {
  if (error instanceof AbortedError) return "aborted";
  return error instanceof EnergyError ? error.code : "ENERGY_INTERNAL";
}
