// Builds requests to the service: a URL that no id can redirect, and the header that opts in to PC1.
import { type ErrorText, InputError } from "../../errors";
import { isId, PREVIEW_VERSION } from "../../settings/rules";
import type { ConnectionSettings } from "../connection";

export interface HttpRequest {
  /** Names it in errors and reports, e.g. `Site list`. */
  readonly what: ErrorText;
  method: "GET" | "POST";
  /** Absolute, below the account's base URL. */
  url: string;
  headers: Record<string, string>;
  /** Bytes of a successful response, decompressed. Default: MAX_ANSWER_BYTES. */
  maxBytes?: number;
}

/**
 * The URL of an endpoint, as sent: every part is encoded here, so that it need not be parsed again.
 * @param baseUrl without a trailing slash
 * @param segments path below the base URL, not yet percent-encoded
 * @throws InputError for an id that cannot be part of a path
 */
export function endpointUrl(
  baseUrl: string,
  segments: string[],
  query: Record<string, string | undefined> = {},
): string {
  const path = `${baseUrl}/${segments.map(encoded).join("/")}`;
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  if (given.length === 0) return path;
  // `+` is a space in form data only.
  return `${path}?${new URLSearchParams(given).toString().replaceAll("+", "%20")}`;
}

/**
 * The version header (service interface 9 rule 2).
 * @param needsPc1 whether the request needs PC1 behavior, whatever the account's setting
 */
export function versionHeaders(settings: ConnectionSettings, needsPc1: boolean): Record<string, string> {
  const version = settings.apiVersion === "" && needsPc1 ? PREVIEW_VERSION : settings.apiVersion;
  return version === "" ? {} : { [settings.versionHeader]: version };
}

function encoded(segment: string): string {
  if (!isId(segment)) throw new InputError("idInvalid", { name: "siteId" });
  return encodeURIComponent(segment);
}
