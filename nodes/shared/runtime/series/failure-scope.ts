// Tells whether a failure concerns one site or everything that an account reads.
import {
  AbortedError,
  AuthError,
  ConfigError,
  HttpError,
  NetworkError,
  RateLimitError,
  ResponseError,
  ServiceDownError,
  StoreError,
  TimeoutError,
} from "../../../../src/errors";

/**
 * - `all`: every other request would fail as well
 * - `busy`: the service wants fewer requests
 * - `down`: the service is down, or this site alone has a problem
 * - `refused`: the service refuses everything, as with a wrong address, or this site alone
 * - `one`: only this site
 */
export type FailureScope = "all" | "busy" | "down" | "refused" | "one";

export function failureScope(error: unknown): FailureScope {
  // The account was closed.
  if (error instanceof ConfigError || error instanceof AbortedError) return "all";
  if (error instanceof ServiceDownError) return "all";
  // All systems of a node share one store.
  if (error instanceof StoreError) return "all";
  if (error instanceof AuthError) return error.scope === "account" ? "all" : "refused";
  if (error instanceof RateLimitError) return "busy";
  if (error instanceof NetworkError || error instanceof TimeoutError) return "down";
  if (error instanceof HttpError) return (error.details.statusCode ?? 0) >= 500 ? "down" : "refused";
  return error instanceof ResponseError ? "refused" : "one";
}
