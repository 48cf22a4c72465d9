// Rules for texts in settings and messages: base URL, header, credentials, topic, id, number, references to environment variables.
import { type ErrorText, errorText, type TextValue } from "../errors";
import { MAX_BASE_URL_LENGTH, MAX_ID_LENGTH, MAX_PREFIX_LENGTH } from "../limits";

export const DEFAULT_VERSION_HEADER = "VendorApi-Version";

/** The API version that opts in to PC1 sites (service interface 9 rule 2). */
export const PREVIEW_VERSION = "2026-01-01.preview";

/** Host names of this machine, as normalized by `URL`. */
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** A base URL is https, or http to localhost, so that credentials never cross a network in plain text. */
export function baseUrlFault(text: string): ErrorText | undefined {
  if (text === "") return errorText("baseUrlMissing");
  if (text.length > MAX_BASE_URL_LENGTH || !URL.canParse(text)) return errorText("baseUrlInvalid");
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username || password) return errorText("baseUrlCredentials");
  if (search || hash) return errorText("baseUrlQuery");
  const isAllowed = protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
  return isAllowed ? undefined : errorText("baseUrlInsecure");
}

/** The URL of a proxy, whose scheme may be left out: `proxy:3128` alone would be a URL without a host. */
export function proxyAddress(text: string): string {
  const address = text.trim();
  return address.includes("://") ? address : `http://${address}`;
}

/** A valid base URL without trailing slashes, or the mark of an empty query or fragment, ready for paths to be appended. */
export function withoutTrailingSlash(baseUrl: string): string {
  const { href } = new URL(baseUrl);
  let end = href.length;
  while ("/?#".includes(href.charAt(end - 1))) end -= 1;
  return href.slice(0, end);
}

/** Headers that the client sends itself, and those that control the connection (RFC 9110, RFC 9112). */
const RESERVED =
  /^(host|content-.*|transfer-encoding|connection|authorization|accept|accept-encoding|user-agent|cookie|proxy-.*|expect|upgrade|te|trailer|keep-alive|http2-settings)$/i;

export function headerNameFault(text: string): ErrorText | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(text)) return errorText("versionHeaderInvalid");
  return RESERVED.test(text) ? errorText("versionHeaderReserved", { name: text }) : undefined;
}

export function apiVersionFault(text: string): ErrorText | undefined {
  return /^[\x20-\x7e]*$/.test(text) ? undefined : errorText("apiVersionInvalid");
}

export function clientIdFault(text: string): ErrorText | undefined {
  if (text === "") return errorText("clientIdMissing");
  // A colon separates it from the secret (service interface 5 rule 2).
  return text.includes(":") ? errorText("clientIdColon") : undefined;
}

/** A topic prefix consists of one or more levels that can be published to. */
export function topicPrefixFault(text: string, label: TextValue): ErrorText | undefined {
  const isTopic = !text.startsWith("$") && text.split("/").every((level) => /^[^+#\p{C}]+$/u.test(level));
  return isTopic && text.length <= MAX_PREFIX_LENGTH ? undefined : errorText("topicPrefixInvalid", { label });
}

/** What can be part of a URL's path: `.` and `..` would be resolved as relative segments. */
const ID = /^(?!\s*$|\.{1,2}$)[^\p{Cc}\p{Surrogate}]+$/u;

/** Whether a value is a valid site or system id: up to 255 characters, none of them a control character or half a surrogate pair. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_ID_LENGTH && ID.test(value);
}

/** Digits can match in one way only, so that a long text takes no longer than its length. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * The number that a value stands for: a finite number, or text that is wholly a decimal number. Null for everything else, such
 * as `null`, `true`, "", "57 %", "1,5", "0x10" and "Infinity".
 */
export function decimalOf(value: unknown): number | null {
  const isNumber = typeof value === "number" || (typeof value === "string" && DECIMAL.test(value.trim()));
  return isNumber && Number.isFinite(Number(value)) ? Number(value) : null;
}

/** In place of an id: every site of the account, or every system of a site. */
export const ALL = "*";

/** A whole value of `${NAME}` or `$(NAME)`, which Node-RED itself replaces. */
const WHOLE_REFERENCE = /^\$[{(]([^})]+)[})]$/;

/** `${NAME}` within a text. Only valid variable names match, because a secret may contain other text in braces. */
export const EMBEDDED_REFERENCE = /\$\{([A-Za-z_][\w.-]*)\}/g;

/** The variable name, if the whole value is a reference. */
export function referenceName(stored: unknown): string | undefined {
  return typeof stored === "string" ? WHOLE_REFERENCE.exec(stored)?.[1] : undefined;
}
