// Tells requests of this Node-RED's own editor from those of other websites, which Node-RED's admin API would answer as well.
import { hostname } from "node:os";
import { isIP } from "node:net";

/** The headers of a request, with their names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Names that no public DNS server answers, so that no website can point them at this machine. */
const PRIVATE_NAME = /^[^.]+$|(^|\.)localhost$|\.(local|lan|home|internal|home\.arpa|fritz\.box)$/;

/**
 * Whether the request comes from a page of the same origin. `Sec-Fetch-Site` and `Origin` are set by the browser alone.
 * X-Forwarded-Host is not considered: any page may send it.
 * @param knownHosts hosts, with or without a port, by which a proxy makes Node-RED available
 */
export function isSameOrigin(headers: Headers, knownHosts: readonly string[]): boolean {
  // A form, an image or a link cannot set a header.
  if (textOf(headers["x-requested-with"]) !== "XMLHttpRequest") return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const { origin } = headers;
  if (origin === undefined) return true;
  const host = URL.canParse(textOf(origin)) ? new URL(textOf(origin)).host : undefined;
  return host !== undefined && (host === textOf(headers["host"]).toLowerCase() || isListed(host, knownHosts));
}

/**
 * Whether Node-RED was addressed by a name that only its own network knows: otherwise a website may have made its own name
 * point to this machine (DNS rebinding), and the browser would take the two for one origin.
 */
export function isOwnHost(headers: Headers, knownHosts: readonly string[]): boolean {
  const host = textOf(headers["host"]).toLowerCase();
  const name = nameOf(host);
  if (name === undefined) return false;
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
  const isOwn = isAddress || PRIVATE_NAME.test(name) || name === hostname().toLowerCase();
  return isOwn || isListed(host, knownHosts);
}

function isListed(host: string, knownHosts: readonly string[]): boolean {
  const listed = knownHosts.map((known) => known.toLowerCase());
  return listed.includes(host) || listed.includes(nameOf(host) ?? host);
}

/** The host without its port and a final dot. Undefined if it cannot be part of a URL. */
function nameOf(host: string): string | undefined {
  if (/[/\\?#@\s]/.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname.replace(/\.$/, "");
}

function textOf(header: string | string[] | undefined): string {
  return typeof header === "string" ? header : "";
}
