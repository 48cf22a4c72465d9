// From an answer whose status is no success to the error that says what to do.
import { HttpError, RateLimitError, type EnergyError, type ErrorDetails } from "../../errors";
import type { HttpAnswer } from "./exchange";
import { serviceTextOf } from "./service-text";

export function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** @param what names what was asked for, e.g. `telemetry of site S1` */
export function statusError(answer: HttpAnswer, what: string, secrets: readonly string[]): EnergyError {
  const { status } = answer;
  const details = errorDetails(answer, secrets);
  const said = details.serviceText === undefined ? "" : `. The service says: ${details.serviceText}`;
  const text = `${what}: ${meaningOf(answer)}${said}`;
  return status === 429 ? new RateLimitError(text, details) : new HttpError(text, details);
}

export function errorDetails(
  answer: HttpAnswer,
  secrets: readonly string[],
): ErrorDetails & { statusCode: number } {
  const details: ErrorDetails & { statusCode: number } = { statusCode: answer.status };
  const serviceText = serviceTextOf(answer, secrets);
  if (serviceText !== undefined) details.serviceText = serviceText;
  if (answer.retryAfter !== undefined) details.retryAfter = answer.retryAfter;
  return details;
}

function meaningOf({ status, retryAfter }: HttpAnswer): string {
  if (status >= 300 && status < 400) {
    return `the service redirects (${status}), which is not followed: set the base URL to its own address`;
  }
  if (status === 403) return "the credentials do not allow this (403)";
  if (status === 404) {
    return "not found (404): check the id. For a PC1 site choose Systems: PC1 too (preview) in the account";
  }
  if (status === 429) {
    return `too many requests (429): ${retryAfter === undefined ? "ask less often" : `ask again in ${retryAfter} s`}`;
  }
  if (status >= 500) return `the service is in trouble (${status}): try again later`;
  return `the service refused the request (${status})`;
}
