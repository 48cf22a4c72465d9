// Calls the admin routes of this package, all of which answer JSON.
import type { ErrorText } from "../../../src/errors";
import { errorMessage, sharedText } from "./texts";

/** Why there is no answer, in the user's language. */
export class NoAnswer extends Error {}

/** A response without a text is not that of the route, but of a proxy or the like. */
function noAnswer({ status, responseJSON }: JQuery.jqXHR): NoAnswer {
  const { fault } = (responseJSON ?? {}) as { fault?: { text?: ErrorText } };
  if (fault?.text) return new NoAnswer(errorMessage(fault.text));
  if (status === 0) return new NoAnswer(sharedText("request.noAnswer"));
  const key = status === 401 || status === 403 ? "request.forbidden" : "request.refused";
  return new NoAnswer(sharedText(key, { status }));
}

interface Request {
  query?: Record<string, string>;
  /** Makes the request a POST. */
  body?: object | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Rejects with NoAnswer, and with the signal's reason once it aborts.
 * @param path such as `["accounts", id, "sites"]`
 */
export async function adminRequest<T>(
  path: readonly string[],
  { query = {}, body, signal }: Request = {},
): Promise<T> {
  const request = $.ajax({
    url: ["energy-sites", ...path.map((part) => encodeURIComponent(part))].join("/"),
    dataType: "json",
    ...(body
      ? { method: "POST", contentType: "application/json", data: JSON.stringify(body) }
      : { data: query }),
  });
  signal?.addEventListener("abort", () => request.abort(), { once: true });
  try {
    return (await request) as T;
  } catch (response) {
    throw signal?.aborted ? signal.reason : noAnswer(response as JQuery.jqXHR);
  }
}

/** Of a request that failed, to this package or to Node-RED itself. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : sharedText("request.noAnswer");
}
