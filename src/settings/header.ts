// Rules for the version header and for the credentials, which are sent in a header too.
import type { Fault } from "./setting";

export const DEFAULT_VERSION_HEADER = "VendorApi-Version";

/** The API version that opts in to PC1 sites (service interface 9 rule 2). */
export const PREVIEW_VERSION = "2026-01-01.preview";

/** Headers that the client sends itself, and those that control the connection (RFC 9110, RFC 9112). */
const RESERVED =
  /^(host|content-.*|transfer-encoding|connection|authorization|accept|accept-encoding|user-agent|cookie|proxy-.*|expect|upgrade|te|trailer|keep-alive|http2-settings)$/i;

export function headerNameFault(text: string): Fault | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(text)) return ["versionHeaderInvalid"];
  return RESERVED.test(text) ? ["versionHeaderReserved", { name: text }] : undefined;
}

export function apiVersionFault(text: string): Fault | undefined {
  return /^[\x20-\x7e]*$/.test(text) ? undefined : ["apiVersionInvalid"];
}

export function clientIdFault(text: string): Fault | undefined {
  if (text === "") return ["clientIdMissing"];
  // A colon separates it from the secret (service interface 5 rule 2).
  return text.includes(":") ? ["clientIdColon"] : undefined;
}

export function clientSecretFault(text: string): Fault | undefined {
  return text === "" ? ["clientSecretMissing"] : undefined;
}
