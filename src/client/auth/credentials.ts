// Exchanges the account's credentials for a token, and knows what must never be shown of them (service interface 4.1).
import { digestOf } from "../../canonical-json";
import { AuthError, type ErrorDetails, errorText, HttpError, ResponseError } from "../../errors";
import { MAX_SHORT_ANSWER_BYTES } from "../../limits";
import { parseAccessToken } from "../../models/responses";
import { type ConnectionSettings, verifiesServer } from "../connection";
import { errorDetails, isHtml, isSuccess, jsonOf, statusError } from "../http/response";
import { withoutTrailingSlash } from "../../settings/rules";
import { endpointUrl, versionHeaders } from "../http/request";
import type { Transport } from "../http/transport";

type Credentials = Pick<ConnectionSettings, "baseUrl" | "clientId" | "clientSecret">;

/** Used if the response has no `expires_in` of at least a second (service interface 8). */
const DEFAULT_LIFETIME_SECONDS = 3600;

/** Statuses that mean that the credentials are wrong. */
const REJECTIONS: readonly number[] = [400, 401, 403];

/** Statuses that mean that there is no login at this URL. */
const NO_LOGIN: readonly number[] = [404, 405, 501];

/** @param seconds until the credentials are sent again */
export function rejected(details: ErrorDetails, seconds: number): AuthError {
  const text = errorText("credentialsRejected", { status: details.statusCode ?? 0, seconds });
  return new AuthError(text, { ...details, retryAfter: seconds }, "account");
}

/**
 * Requests an access token: POST /v1/auth with a Basic header and no body.
 * @param pause seconds until rejected credentials are sent again
 * @throws AuthError if the credentials are rejected; HttpError, RateLimitError or ResponseError if the response is no token either;
 * what Transport.send throws
 */
export async function requestToken(
  settings: ConnectionSettings,
  transport: Transport,
  signal: AbortSignal,
  once: boolean,
  pause: number,
): Promise<{ token: string; lifetimeSeconds: number }> {
  const what = errorText("whatToken");
  const headers = {
    ...versionHeaders(settings, false),
    Authorization: `Basic ${basicCredentials(settings)}`,
  };
  const url = endpointUrl(withoutTrailingSlash(settings.baseUrl), ["v1", "auth"]);
  // Urgent, because every request waits for the token.
  const response = await transport.send(
    () => ({ what, method: "POST", url, headers, maxBytes: MAX_SHORT_ANSWER_BYTES }),
    signal,
    { isUrgent: true, once },
  );
  // Without the service's own message: it may hold a token that is not known here.
  if (REJECTIONS.includes(response.status)) throw rejected(errorDetails(response), pause);
  if (NO_LOGIN.includes(response.status)) throw new HttpError(errorText("noLogin"), errorDetails(response));
  if (!isSuccess(response)) throw statusError(response, what);
  if (isHtml(response)) throw new ResponseError(errorText("noLogin"), errorDetails(response));
  const { access_token: token, expires_in: lifetime } = parseAccessToken(jsonOf(response, what).body);
  const seconds = Number(lifetime);
  return { token, lifetimeSeconds: seconds >= 1 && seconds < Infinity ? seconds : DEFAULT_LIFETIME_SECONDS };
}

/** What no error may show, in any encoding: the secret, the content of the Basic header, and the tokens. */
export function secretsOf(credentials: Credentials, tokens: string[]): string[] {
  return [basicCredentials(credentials), credentials.clientSecret, ...tokens];
}

/**
 * A hash that is the same for equal credentials at the same service, and reveals nothing about them. A token from a server
 * that was not verified is never used elsewhere, nor is one from a verified server sent to one that is not.
 */
export function credentialsKey(settings: ConnectionSettings): string {
  const { baseUrl, clientId, clientSecret } = settings;
  return digestOf([baseUrl, clientId, clientSecret, verifiesServer(settings)]);
}

/** A hash that is the same for clients whose requests succeed or fail together: same proxy, TLS and timeout. */
export function routeKey({ proxy, tls, timeoutSeconds }: ConnectionSettings): string {
  return digestOf([proxy, tls, timeoutSeconds]);
}

/** The Basic header without its scheme (service interface 5 rule 2). */
function basicCredentials({ clientId, clientSecret }: Credentials): string {
  return Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
}
