// Rules for the base URL: https, or http to localhost, so that credentials never cross a network in plain text.
import type { Fault } from "./setting";

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a host name, as normalized by `URL`, is this machine. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Checks a base URL. */
export function baseUrlFault(text: string): Fault | undefined {
  if (text === "") return ["baseUrlMissing"];
  if (!URL.canParse(text)) return ["baseUrlInvalid"];
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username || password) return ["baseUrlCredentials"];
  if (search || hash) return ["baseUrlQuery"];
  const isAllowed = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  return isAllowed ? undefined : ["baseUrlInsecure"];
}

/** A valid base URL without trailing slashes, or the mark of an empty query or fragment, ready for paths to be appended. */
export function withoutTrailingSlash(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/[/?#]+$/, "");
}
