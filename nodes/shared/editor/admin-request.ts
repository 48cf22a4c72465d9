// Calls the admin routes of this package, all of which answer JSON.
import type { ErrorText } from "../../../src/errors";
import { errorMessage } from "./texts";

/** The message is what the route says is wrong, in the user's language; "" if it was not the route that answered, but a proxy or the like. */
export class NoAnswer extends Error {
  /** 0 if Node-RED cannot be reached. */
  readonly status: number;

  constructor({ status, responseJSON }: JQuery.jqXHR) {
    const { fault } = (responseJSON ?? {}) as { fault?: { text?: ErrorText } };
    super(fault?.text && errorMessage(fault.text));
    this.status = status;
  }

  /** Whether the user lacks the permission. */
  get isForbidden(): boolean {
    return this.message === "" && (this.status === 401 || this.status === 403);
  }
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
    throw signal?.aborted ? signal.reason : new NoAnswer(response as JQuery.jqXHR);
  }
}
