// GET requests with a token: a token that the service no longer accepts is replaced once (service interface 5).
import { addressText } from "../http/address";
import type { ConnectionSettings } from "../connection";
import { secretsOf } from "./credentials";
import { AuthError, type ErrorText, errorText } from "../../errors";
import type { HttpAnswer } from "../http/exchange";
import { jsonOf } from "../http/json-text";
import { errorDetails, isSuccess, statusError } from "../http/status-error";
import type { TokenSource } from "./token-source";
import type { Transport } from "../http/transport";
import { versionHeaders } from "../http/version-header";

export interface JsonAnswer {
  body: unknown;
  /** The Link header, "" for none. */
  link: string;
}

export class Session {
  constructor(
    private readonly settings: ConnectionSettings,
    private readonly transport: Transport,
    private readonly tokens: TokenSource,
  ) {}

  /**
   * @param what names what is asked for in errors, e.g. `telemetry of site S1`
   * @throws all classes of errors.ts that an answer or its lack can mean
   */
  async get(url: URL, what: ErrorText, needsPc1: boolean, signal: AbortSignal): Promise<JsonAnswer> {
    // The token comes first: who waited for it inside the limiter would keep the token request out.
    const token = await this.tokens.get(signal);
    const tokens = [token];
    let answer = await this.send(url, token, needsPc1, signal);
    // 401 speaks of the token. 403 may as well, since no status for it is fixed (service interface 7).
    if (answer.status === 401 || (answer.status === 403 && this.tokens.doubt(token))) {
      this.tokens.drop(token);
      const renewed = await this.tokens.get(signal);
      tokens.push(renewed);
      answer = await this.send(url, renewed, needsPc1, signal);
    }
    if (isSuccess(answer)) {
      this.tokens.accept(tokens.at(-1) ?? token);
      return { body: jsonOf(answer, what), link: answer.link };
    }
    const secrets = secretsOf(this.settings, tokens);
    if (answer.status === 401) {
      throw new AuthError(errorText("tokenRefused", { what }), errorDetails(answer, secrets));
    }
    throw statusError(answer, what, secrets);
  }

  private send(url: URL, token: string, needsPc1: boolean, signal: AbortSignal): Promise<HttpAnswer> {
    const headers = { ...versionHeaders(this.settings, needsPc1), Authorization: `Bearer ${token}` };
    return this.transport.send({ method: "GET", url: addressText(url), headers }, signal);
  }
}
