// A response of the service: its JSON, or the error for its status.
import { parsedJson } from "../../canonical-json";
import {
  type EnergyError,
  type ErrorText,
  errorText,
  ResponseError,
  type StatusDetails,
  statusFailure,
} from "../../errors";
import { MAX_DEPTH, MAX_JSON_VALUES, MAX_PROPERTIES, WIDE } from "../../limits";
import { defined } from "../../objects";
import { type Confidential, serviceTextOf } from "./redaction";

/** A complete response, decompressed but not parsed. */
export interface HttpResponse {
  readonly status: number;
  readonly text: string;
  readonly contentType: string;
  /** The Link header; "" = none. */
  readonly link: string;
  /** In seconds. */
  readonly retryAfter: number | undefined;
}

/** The JSON of a response, with what it counts against the limits of a list. */
export interface Page {
  readonly body: unknown;
  readonly bytes: number;
  /** Nested ones included. */
  readonly values: number;
  /** The Link header; "" = none. */
  readonly link: string;
}

/** Whether the status is 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * The JSON of a successful response.
 * @param what names the request in errors, e.g. `Site list`
 * @throws ResponseError for JSON beyond the limits; otherwise, it describes what was received instead without quoting it
 */
export function jsonOf({ text, contentType, status, link }: HttpResponse, what: ErrorText): Page {
  const tooMany = errorText("answerValues", { values: MAX_JSON_VALUES });
  if (text.length > LARGE && hasMore(text, MAX_JSON_VALUES)) throw new ResponseError(tooMany);
  // Some servers send a byte order mark.
  const body = parsedJson(text.startsWith("\uFEFF") ? text.slice(1) : text);
  if (body === undefined)
    throw new ResponseError(notJson(what, text.trim(), contentType), { statusCode: status });
  const size = { values: 1, depth: 0 };
  if (isContainer(body)) measure(body, 1, size);
  const { values, depth } = size;
  if (depth > MAX_DEPTH) throw new ResponseError(errorText("answerTooDeep", { what, depth: MAX_DEPTH }));
  if (values > MAX_JSON_VALUES) throw new ResponseError(tooMany);
  return { body, bytes: Buffer.byteLength(text), values, link };
}

/** Characters; what is smaller is parsed in no time, whatever it is. */
const LARGE = 2 ** 20;

/** Millions of empty objects, or of fields, would hold the event loop for more than a second while they are parsed. */
function hasMore(text: string, most: number): boolean {
  return [/[[{]/g, /"\s*:/g].some((start) => {
    let count = 0;
    while (count <= most && start.test(text)) count += 1;
    return count > most;
  });
}

/** Counts values, and how deep they are nested, until either is beyond its limit. */
function measure(
  container: Readonly<Record<string, unknown>>,
  depth: number,
  size: { values: number; depth: number },
): void {
  if (depth > size.depth) size.depth = depth;
  if (depth > MAX_DEPTH || size.values > MAX_JSON_VALUES) return;
  // for…in would make a text of each index, and Object.values a list of each object.
  if (Array.isArray(container)) {
    size.values += container.length;
    for (const value of container) if (isContainer(value)) measure(value, depth + 1, size);
    return;
  }
  let own = 0;
  for (const key in container) {
    own += 1;
    if (own > MAX_PROPERTIES) break;
    const value = container[key];
    if (isContainer(value)) measure(value, depth + 1, size);
  }
  size.values += own > WIDE ? (own * MAX_JSON_VALUES) / MAX_PROPERTIES : own;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/**
 * The error for a response with an error status: RateLimitError for 429, otherwise HttpError.
 * @param what names the request in errors, e.g. `Telemetry of site S1`
 * @param confidential as for errorDetails
 * @param isPc1Off whether the request cannot reach PC1 sites, because the account did not opt in to them
 */
export function statusError(
  response: HttpResponse,
  what: ErrorText,
  confidential?: Confidential,
  isPc1Off = false,
): EnergyError {
  const details = errorDetails(response, confidential);
  const hasId = confidential !== undefined && confidential.ids.length > 0;
  const text = statusText(response, what, hasId, isPc1Off);
  const { serviceText: said } = details;
  return statusFailure(said === undefined ? text : errorText("serviceSays", { text, said }), details);
}

/** @param confidential what to redact of the service's own message, which is not shown without it */
export function errorDetails(response: HttpResponse, confidential?: Confidential): StatusDetails {
  const serviceText = confidential && serviceTextOf(response.text, confidential);
  return defined({ statusCode: response.status, serviceText, retryAfter: response.retryAfter });
}

/** Whether a response is a page for people, and not from the service. */
export function isHtml({ text, contentType }: Pick<HttpResponse, "text" | "contentType">): boolean {
  const start = text.trimStart();
  return start.startsWith("<") || (contentType.includes("html") && !/^[[{]/.test(start));
}

function notJson(what: ErrorText, text: string, contentType: string): ErrorText {
  if (text === "") return errorText("answerEmpty", { what });
  if (isHtml({ text, contentType })) return errorText("answerHtml", { what });
  if (!/^[[{]/.test(text)) return errorText("answerText", { what });
  const characters = text.length;
  return errorText(/[\]}]$/.test(text) ? "answerInvalid" : "answerCut", { what, characters });
}

function statusText(
  { status, retryAfter }: HttpResponse,
  what: ErrorText,
  hasId: boolean,
  isPc1Off: boolean,
): ErrorText {
  if (status >= 300 && status < 400) return errorText("redirected", { what, status });
  if (status === 403) return errorText(hasId ? "forbidden" : "forbiddenHere", { what });
  if (status === 404 && !hasId) return errorText("notFoundHere", { what });
  if (status === 404) return errorText(isPc1Off ? "notFoundPc1" : "notFound", { what });
  if (status === 429 && retryAfter) return errorText("tooManyRequestsUntil", { what, seconds: retryAfter });
  if (status === 429) return errorText("tooManyRequests", { what });
  if (status >= 500) return errorText("serviceFailed", { what, status });
  return errorText(hasId ? "refused" : "refusedHere", { what, status });
}
