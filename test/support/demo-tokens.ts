// Issues and checks access tokens as the service does (service interface 5).
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ConnectionSettings } from "../../src/client/connection";
import { badRequest, Refusal } from "../../src/demo/endpoints";

export type Credentials = Pick<ConnectionSettings, "clientId" | "clientSecret">;

/** Seconds (service interface 8). */
const LIFETIME = 3600;
const COMPANY_ID = "00000000-0000-4000-8000-000000000001";

const unauthorized = (message: string) => new Refusal(401, "UNAUTHORIZED", message);

export class TokenStore {
  readonly #now: () => number;
  readonly #credentials: Credentials;
  /** Expiry in milliseconds since the epoch, by token. */
  readonly #expiries = new Map<string, number>();

  constructor(now: () => number, credentials: Credentials) {
    this.#now = now;
    this.#credentials = credentials;
  }

  issue(request: IncomingMessage) {
    if (Number(request.headers["content-length"] ?? 0) > 0 || request.headers["transfer-encoding"]) {
      throw badRequest("The token request takes no body");
    }
    if (!this.#accepts(request)) throw unauthorized("The client credentials are not valid");
    const now = this.#now();
    // Hexadecimal: no word of a message is part of it by chance.
    const token = randomBytes(24).toString("hex");
    this.#expiries.set(token, now + LIFETIME * 1000);
    return {
      access_token: token,
      token_type: "Bearer",
      expires_in: LIFETIME,
      created_at: new Date(now).toISOString(),
      companies: [{ companyId: COMPANY_ID }],
    };
  }

  check(request: IncomingMessage): void {
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
    const expiry = token === undefined ? undefined : this.#expiries.get(token);
    if (expiry === undefined) throw unauthorized("A valid access token is required");
    if (expiry <= this.#now()) throw unauthorized("The access token has expired");
  }

  revokeAll(): void {
    this.#expiries.clear();
  }

  /** The Basic header: id and secret, with a colon between them. */
  #accepts({ headers: { authorization = "" } }: IncomingMessage): boolean {
    const [, encoded = ""] = /^Basic (\S+)$/i.exec(authorization) ?? [];
    const given = Buffer.from(encoded, "base64").toString("utf8");
    return given === `${this.#credentials.clientId}:${this.#credentials.clientSecret}`;
  }
}
