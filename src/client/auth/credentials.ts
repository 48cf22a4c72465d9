// What the account's credentials are sent as, compared by, and hidden by (service interface 5).
import { digestOf } from "../../canonical-json";
import { type ConnectionSettings, verifiesServer } from "../connection";

type Credentials = Pick<ConnectionSettings, "clientId" | "clientSecret">;

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
export function basicCredentials({ clientId, clientSecret }: Credentials): string {
  return Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
}
