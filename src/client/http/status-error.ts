// From an answer whose status is no success to the error that says what to do.
import {
  type EnergyError,
  type ErrorDetails,
  type ErrorText,
  errorText,
  HttpError,
  RateLimitError,
} from "../../errors";
import type { HttpAnswer } from "./exchange";
import { serviceTextOf } from "./service-text";

export function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** @param what names what was asked for, e.g. `telemetry of site S1` */
export function statusError(answer: HttpAnswer, what: ErrorText, secrets: readonly string[]): EnergyError {
  const { status } = answer;
  const details = errorDetails(answer, secrets);
  const text = withServiceText(meaningOf(answer, what), details);
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

/** The text, and what the service itself says of it. */
export function withServiceText(text: ErrorText, { serviceText }: ErrorDetails): ErrorText {
  return serviceText === undefined ? text : errorText("serviceSays", { text, said: serviceText });
}

function meaningOf({ status, retryAfter }: HttpAnswer, what: ErrorText): ErrorText {
  if (status >= 300 && status < 400) return errorText("redirected", { what, status });
  if (status === 403) return errorText("forbidden", { what });
  if (status === 404) return errorText("notFound", { what });
  if (status === 429) {
    return retryAfter === undefined
      ? errorText("tooManyRequests", { what })
      : errorText("tooManyRequestsUntil", { what, seconds: retryAfter });
  }
  return errorText(status >= 500 ? "serviceFailed" : "refused", { what, status });
}
