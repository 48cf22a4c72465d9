// What the client knows of the account's credentials: how they are sent, and what of them must never be shown.
import { createHash } from "node:crypto";
import type { ConnectionSettings } from "../connection";

type Credentials = Pick<ConnectionSettings, "baseUrl" | "clientId" | "clientSecret">;

/** The Basic header's value without the scheme (service interface 5 rule 2). */
export function basicCredentials({ clientId, clientSecret }: Credentials): string {
  return Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
}

/** Texts that must not appear in an error: all that the credentials and the tokens got for them consist of. */
export function secretsOf(credentials: Credentials, tokens: string[]): string[] {
  const { clientSecret } = credentials;
  const encoded = [basicCredentials(credentials), Buffer.from(clientSecret).toString("base64")];
  return [clientSecret, ...encoded, ...tokens].filter((secret) => secret !== "");
}

/** The same for the same credentials at the same service, and tells nothing of them. */
export function credentialsKey({ baseUrl, clientId, clientSecret }: Credentials): string {
  return createHash("sha256")
    .update(JSON.stringify([baseUrl, clientId, clientSecret]))
    .digest("hex");
}
