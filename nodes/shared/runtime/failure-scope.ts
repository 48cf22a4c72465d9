// Tells whether a failure concerns one site or everything that an account reads.
import {
  AbortedError,
  AuthError,
  ConfigError,
  HttpError,
  NetworkError,
  RateLimitError,
  TimeoutError,
} from "../../../src/errors";

/**
 * `all`: every other request would fail as well. `perhaps-all`: the service is down or busy, or this site alone has a
 * problem. `one`: only this site.
 */
export type FailureScope = "all" | "perhaps-all" | "one";

export function failureScope(error: unknown): FailureScope {
  // The account was closed.
  if (error instanceof ConfigError || error instanceof AbortedError) return "all";
  if (error instanceof AuthError) return error.scope === "account" ? "all" : "one";
  const isDown =
    error instanceof NetworkError ||
    error instanceof TimeoutError ||
    error instanceof RateLimitError ||
    (error instanceof HttpError && (error.details.statusCode ?? 0) >= 500);
  return isDown ? "perhaps-all" : "one";
}
