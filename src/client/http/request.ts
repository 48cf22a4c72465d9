// A request to the service: its URL, which no id can lead elsewhere, and the header that opts in to PC1.
import { InputError } from "../../errors";
import { type ConnectionSettings, PREVIEW_VERSION } from "../connection";

export interface HttpRequest {
  method: "GET" | "POST";
  /** Absolute, below the account's base URL. */
  url: string;
  headers: Record<string, string>;
}

/**
 * @param segments path below the base URL; each is percent-encoded
 * @throws InputError for an id that cannot be part of a path
 */
export function endpointUrl(
  baseUrl: string,
  segments: string[],
  query: Record<string, string | undefined> = {},
): URL {
  const url = new URL(`${baseUrl}/${segments.map(encoded).join("/")}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

/** The URL as sent: a space in the query becomes %20, since only forms read `+` as a space. */
export function urlText(url: URL): string {
  const plain = new URL(url);
  plain.search = url.search.replaceAll("+", "%20");
  return plain.href;
}

/**
 * The version header (service interface 9 rule 2).
 * @param needsPc1 the request needs PC1 behavior, whatever the account chose
 */
export function versionHeaders(settings: ConnectionSettings, needsPc1: boolean): Record<string, string> {
  const version = settings.apiVersion === "" && needsPc1 ? PREVIEW_VERSION : settings.apiVersion;
  return version === "" ? {} : { [settings.versionHeader]: version };
}

function encoded(segment: string): string {
  // `.` and `..` would be resolved as steps in the path; a lone surrogate cannot be encoded.
  if (/^\s*$|^\.\.?$|\p{Surrogate}/u.test(segment)) throw new InputError("siteIdInvalid");
  return encodeURIComponent(segment);
}
