// Sends GET requests with a token, which is renewed once if the service rejects it (service interface 5).
import { AuthError, type ErrorText, errorText } from "../../errors";
import type { ConnectionSettings } from "../connection";
import { errorDetails, type HttpResponse, isSuccess, jsonOf, statusError } from "../http/response";
import { urlText, versionHeaders } from "../http/request";
import type { Transport } from "../http/transport";
import { secretsOf } from "./credentials";
import type { TokenCache } from "./token-cache";

export interface JsonResponse {
  body: unknown;
  /** The Link header; "" = none. */
  link: string;
}

export class Session {
  readonly #settings: ConnectionSettings;
  readonly #transport: Transport;
  readonly #tokens: TokenCache;

  constructor(settings: ConnectionSettings, transport: Transport, tokens: TokenCache) {
    this.#settings = settings;
    this.#transport = transport;
    this.#tokens = tokens;
  }

  /**
   * The JSON of a successful response.
   * @param what names the request in errors, e.g. `Telemetry of site S1`
   * @throws AuthError, HttpError, RateLimitError, ResponseError, and what Transport.send throws
   */
  async get(url: URL, what: ErrorText, needsPc1: boolean, signal: AbortSignal): Promise<JsonResponse> {
    // Before the limiter: a request that waited for its token inside it could block the token request.
    const token = await this.#tokens.get(signal);
    const tokens = [token];
    let response = await this.#send(url, token, needsPc1, signal);
    // 401 means the token is bad. 403 may mean the same, because the interface specifies no status (service interface 7).
    if (response.status === 401 || (response.status === 403 && this.#tokens.shouldReplace(token))) {
      this.#tokens.drop(token);
      const renewed = await this.#tokens.get(signal);
      tokens.push(renewed);
      response = await this.#send(url, renewed, needsPc1, signal);
    }
    if (isSuccess(response)) {
      this.#tokens.accept(tokens.at(-1) ?? token);
      return { body: jsonOf(response, what), link: response.link };
    }
    const secrets = secretsOf(this.#settings, tokens);
    if (response.status === 401) {
      throw new AuthError(errorText("tokenRefused", { what }), errorDetails(response, secrets));
    }
    throw statusError(response, what, secrets);
  }

  #send(url: URL, token: string, needsPc1: boolean, signal: AbortSignal): Promise<HttpResponse> {
    const headers = { ...versionHeaders(this.#settings, needsPc1), Authorization: `Bearer ${token}` };
    return this.#transport.send({ method: "GET", url: urlText(url), headers }, signal);
  }
}
