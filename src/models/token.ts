// The response of the token endpoint (service interface 2.1).
import type { ServiceObject } from "./site";

export interface AccessToken extends ServiceObject {
  access_token: string;
  /** Lifetime in seconds. */
  expires_in?: number | string | null;
}
