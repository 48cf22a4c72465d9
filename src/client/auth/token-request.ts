// Asks for an access token (service interface 4.1): POST /v1/auth with a Basic header and no body.
import { parseAccessToken } from "../../models/answers";
import type { ConnectionSettings } from "../connection";
import { basicCredentials, secretsOf } from "./credentials";
import { type ErrorDetails, errorText } from "../../errors";
import { jsonOf } from "../http/json-text";
import { errorDetails, isSuccess, statusError } from "../http/status-error";
import type { Transport } from "../http/transport";
import { versionHeaders } from "../http/version-header";

/** Service interface 8, for an answer without an `expires_in` of at least a second. */
const USUAL_LIFETIME_SECONDS = 3600;

/** Statuses that mean: these credentials are wrong. */
const REJECTIONS: readonly number[] = [400, 401, 403];

export interface IssuedToken {
  token: string;
  lifetimeSeconds: number;
}

export interface Rejection {
  rejection: ErrorDetails & { statusCode: number };
}

/**
 * @param lastToken is no longer good, but must not be shown all the same
 * @throws what Transport.send throws, and HttpError, RateLimitError or ResponseError for what is neither token nor rejection
 */
export async function requestToken(
  settings: ConnectionSettings,
  transport: Transport,
  lastToken: string | undefined,
  signal: AbortSignal,
): Promise<IssuedToken | Rejection> {
  const headers = {
    ...versionHeaders(settings, false),
    Authorization: `Basic ${basicCredentials(settings)}`,
  };
  const answer = await transport.send(
    { method: "POST", url: `${settings.baseUrl}/v1/auth`, headers },
    signal,
  );
  const secrets = secretsOf(settings, lastToken === undefined ? [] : [lastToken]);
  if (REJECTIONS.includes(answer.status)) return { rejection: errorDetails(answer, secrets) };
  if (!isSuccess(answer)) throw statusError(answer, errorText("whatToken"), secrets);
  const { access_token: token, expires_in: lifetime } = parseAccessToken(
    jsonOf(answer, errorText("whatToken")),
  );
  const seconds = Number(lifetime);
  return { token, lifetimeSeconds: seconds >= 1 && seconds < Infinity ? seconds : USUAL_LIFETIME_SECONDS };
}
